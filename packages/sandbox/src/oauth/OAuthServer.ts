/** The OAuth server without its HTTP: what endpoints, pages and the control plane call. */
import type { TokenResponse } from "@game-data/contract";
import type { Accounts, SeededAccount } from "../clients/Accounts.ts";
import type { Clients } from "../clients/Clients.ts";
import type { SandboxConfig } from "../Config.ts";
import { isServiceScope } from "../scopes.ts";
import type { Platform } from "../platform/Platform.ts";
import type { Store } from "../store/Store.ts";
import { makeAuthenticateClient } from "./ClientAuthentication.ts";
import { Consents } from "./Consents.ts";
import { Grants } from "./Grants.ts";
import { isClientScope, isUserScope, parseScope } from "./ScopeRules.ts";
import { Sessions } from "./Sessions.ts";
import { oauthTables } from "./tables.ts";
import { makeThrottle } from "./Throttle.ts";
import { TokenGrants } from "./TokenGrants.ts";
import { makeTokenManagement } from "./TokenManagement.ts";
import { makeTokenVerifier } from "./TokenVerifier.ts";

/** A test helper's request that cannot be met: the member, and a sentence that says why. */
interface TestHelperRejected {
  readonly refused: string;
  readonly at: string;
}

/** Failed secrets per client and minute before the client has to wait. */
const SECRET_FAILURES = 20;

/** Inactive answers per client and minute before introspection has to wait (RFC 7662 §4). */
const SCAN_FAILURES = 60;

/** Makes the operations of the OAuth server. */
export const makeOAuthServer = (deps: {
  readonly config: SandboxConfig;
  readonly store: Store;
  readonly accounts: Accounts;
  readonly clients: Clients;
  readonly platform: Platform;
  readonly now: () => number;
  /** Whether redirects carry a state that nobody sent (a fault). */
  readonly forgesState: () => boolean;
}) => {
  const { accounts, clients, config, now, platform, store } = deps;
  const { refreshGraceMillis } = config;
  const tables = oauthTables(store);
  const grants = new Grants(tables, platform, now);
  const throttle = makeThrottle(config.throttle ? SECRET_FAILURES : 0, now);
  const scans = makeThrottle(config.throttle ? SCAN_FAILURES : 0, now);
  store.onReset("throttles", () => {
    throttle.clear();
    scans.clear();
  });
  const shared = { store, tables, grants, platform, now };
  const tokenGrants = new TokenGrants({ ...shared, accounts, refreshGraceMillis });

  /** The account of a name or a uuid; without one the first. */
  const person = (name: string | undefined): SeededAccount | undefined =>
    name === undefined ? accounts.all[0] : (accounts.byName(name) ?? accounts.byUuid(name));

  return {
    accounts,
    clients,
    grants,
    tokenGrants,
    issue: issuer({ accounts, clients, tokenGrants, person }),
    person,
    sessions: new Sessions(store, tables, platform, now),
    /** Authorization requests that wait for an answer. */
    consents: new Consents({
      ...shared,
      clients,
      forgesState: deps.forgesState,
      issuer: config.issuer ? config.authUrl : undefined,
    }),
    /** Limits scanning by introspection. */
    scans,
    /** Revocation and introspection. */
    management: makeTokenManagement({ store, grants, accounts, now }),
    /** The application of a request to the token endpoint. */
    authenticate: makeAuthenticateClient({ clients, platform, throttle }),
    /** The identity behind an `Authorization` header. */
    verify: makeTokenVerifier({ grants, clients, accounts, now }),
  };
};

/** The operations of the OAuth server. */
export type OAuthServer = ReturnType<typeof makeOAuthServer>;

/** Issues tokens without the flow. Service scopes, and no account, mean client credentials. */
const issuer =
  ({
    accounts,
    clients,
    person,
    tokenGrants,
  }: {
    readonly accounts: Accounts;
    readonly clients: Clients;
    readonly person: (name: string | undefined) => SeededAccount | undefined;
    readonly tokenGrants: TokenGrants;
  }) =>
  (options: {
    readonly clientId: string;
    readonly account?: string | undefined;
    readonly scopes?: ReadonlyArray<string> | undefined;
  }): TokenResponse | TestHelperRejected => {
    const client = clients.byId(options.clientId);
    if (client === undefined) return { at: "/clientId", refused: "there is no client of that id" };
    const scopes =
      options.scopes === undefined
        ? client.scopes.filter((scope) => isUserScope(client, [scope]))
        : parseScope(options.scopes.join(" "));
    if (scopes === undefined) return { at: "/scopes", refused: "a scope is unknown" };
    const asItself =
      client.kind === "confidential" &&
      (options.account === undefined || scopes.some(isServiceScope));
    const isPermitted = asItself ? isClientScope : isUserScope;
    const wrong = scopes.find((scope) => !isPermitted(client, [scope]));
    if (wrong !== undefined)
      return {
        at: `/scopes/${options.scopes?.indexOf(wrong)}`,
        refused: `${client.clientId} may not have the scope ${wrong} ${asItself ? "itself" : "of a user"}`,
      };
    const somebody = person(options.account);
    if (somebody === undefined) return NO_ACCOUNT;
    if (asItself && options.account !== undefined && somebody.uuid !== client.owner)
      return {
        at: "/account",
        refused: `${client.clientId} asks for itself, and ${accounts.byUuid(client.owner)?.name} owns it`,
      };
    return tokenGrants.issue({ client, sub: somebody.uuid, scopes, asItself });
  };

const NO_ACCOUNT: TestHelperRejected = {
  at: "/account",
  refused: "there is no account of that name",
};
