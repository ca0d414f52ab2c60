/** The OAuth server without its HTTP: what endpoints, pages and the control plane call. */
import type { TokenResponse } from "@game-data/contract";
import type { Accounts, SeededAccount } from "../clients/Accounts.ts";
import type { Clients } from "../clients/Clients.ts";
import type { SandboxConfig } from "../Config.ts";
import { isServiceScope } from "../scopes.ts";
import type { Platform } from "../platform/Platform.ts";
import type { Store } from "../store/Store.ts";
import { type AuthenticateClient, makeAuthenticateClient } from "./ClientAuthentication.ts";
import { Consents } from "./Consents.ts";
import { Grants } from "./Grants.ts";
import { isClientScope, isUserScope, parseScope } from "./ScopeRules.ts";
import { Sessions } from "./Sessions.ts";
import { oauthTables } from "./tables.ts";
import { makeThrottle, type Throttle } from "./Throttle.ts";
import { TokenGrants } from "./TokenGrants.ts";
import { makeTokenManagement } from "./TokenManagement.ts";
import { type Credentials, makeTokenVerifier } from "./TokenVerifier.ts";

/** A test helper's request that cannot be met: the member, and a sentence that says why. */
interface TestHelperRejected {
  readonly refused: string;
  readonly at: string;
}

/** Failed secrets per client and minute before the client has to wait. */
const SECRET_FAILURES = 20;

/** Inactive answers per client and minute before introspection has to wait (RFC 7662 §4). */
const SCAN_FAILURES = 60;

/** The operations of the OAuth server. */
export class OAuthServer {
  readonly accounts: Accounts;
  readonly clients: Clients;
  /** Grants, codes and tokens. */
  readonly grants: Grants;
  /** Authorization requests that wait for an answer. */
  readonly consents: Consents;
  /** Browsers. */
  readonly sessions: Sessions;
  /** Limits scanning by introspection. */
  readonly scans: Throttle;
  /** Revocation and introspection. */
  readonly management: ReturnType<typeof makeTokenManagement>;
  /** The application of a request to the token endpoint. */
  readonly authenticate: AuthenticateClient;
  /** The identity behind an `Authorization` header. */
  readonly verify: (authorization: string | undefined) => Credentials;
  /** The grants of the token endpoint. */
  readonly tokenGrants: TokenGrants;

  constructor(deps: {
    readonly config: SandboxConfig;
    readonly store: Store;
    readonly accounts: Accounts;
    readonly clients: Clients;
    readonly platform: Platform;
    readonly now: () => number;
    /** Whether redirects carry a state that nobody sent (a fault). */
    readonly forgesState: () => boolean;
  }) {
    const { accounts, clients, config, now, platform, store } = deps;
    const tables = oauthTables(store);
    const grants = new Grants(tables, platform, now);
    const throttle = makeThrottle(config.throttle ? SECRET_FAILURES : 0, now);
    const scans = makeThrottle(config.throttle ? SCAN_FAILURES : 0, now);
    store.onReset("throttles", () => {
      throttle.clear();
      scans.clear();
    });
    this.tokenGrants = new TokenGrants({
      store,
      tables,
      grants,
      accounts,
      platform,
      now,
      refreshGraceMillis: config.refreshGraceMillis,
    });
    this.accounts = accounts;
    this.clients = clients;
    this.grants = grants;
    this.scans = scans;
    this.sessions = new Sessions(store, tables, platform, now);
    this.consents = new Consents({
      store,
      tables,
      platform,
      clients,
      grants,
      now,
      forgesState: deps.forgesState,
      issuer: config.issuer ? config.authUrl : undefined,
    });
    this.management = makeTokenManagement({ store, grants, accounts, now });
    this.authenticate = makeAuthenticateClient({ clients, platform, throttle });
    this.verify = makeTokenVerifier({ grants, clients, accounts, now });
  }

  /** Issues tokens without the flow. Service scopes, and no account, mean client credentials. */
  issue(options: {
    readonly clientId: string;
    readonly account?: string | undefined;
    readonly scopes?: ReadonlyArray<string> | undefined;
  }): TokenResponse | TestHelperRejected {
    const client = this.clients.byId(options.clientId);
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
    const person = this.person(options.account);
    if (person === undefined) return NO_ACCOUNT;
    if (asItself && options.account !== undefined && person.uuid !== client.owner)
      return {
        at: "/account",
        refused: `${client.clientId} asks for itself, and ${this.accounts.byUuid(client.owner)?.name} owns it`,
      };
    return this.tokenGrants.issue({ client, sub: person.uuid, scopes, asItself });
  }

  /** The account of a name or a uuid; without one the first. */
  person(name: string | undefined): SeededAccount | undefined {
    const { accounts } = this;
    return name === undefined ? accounts.all[0] : (accounts.byName(name) ?? accounts.byUuid(name));
  }
}

const NO_ACCOUNT: TestHelperRejected = {
  at: "/account",
  refused: "there is no account of that name",
};
