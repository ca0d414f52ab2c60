/**
 * The OAuth server without its HTTP: what routes, pages and the control plane call.
 */
import { isServiceScope, type TokenResponse } from "@game-data/contract";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { Accounts } from "../clients/Accounts.ts";
import { Clients, type RegisteredClient } from "../clients/Clients.ts";
import { SandboxClock } from "../clock/SandboxClock.ts";
import { SandboxConfig } from "../Config.ts";
import { Store } from "../store/Store.ts";
import { validateAuthorizeRequest } from "./authorizeRequest.ts";
import { authenticateClient } from "./ClientAuthentication.ts";
import { type Consents, makeConsents } from "./Consents.ts";
import { type Form, parseForm, queryOf } from "./formBody.ts";
import { type Grants, makeGrants } from "./Grants.ts";
import type { OAuthFailure } from "./OAuthErrors.ts";
import { OAUTH_SCHEMA } from "./tables.ts";
import { isClientScope, isUserScope, parseScope } from "./ScopeRules.ts";
import { makeSessions, type Sessions } from "./Sessions.ts";
import { makeThrottle, type Throttle } from "./Throttle.ts";
import { makeTokenManagement } from "./TokenManagement.ts";
import { makeTokenGrants } from "./TokenGrants.ts";

/** A shortcut of the control plane that cannot be taken; the message says why. */
export interface TestHelperRejected {
  readonly refused: string;
}

/** Failed secrets per client and minute before the client has to wait. */
const SECRET_FAILURES = 20;

/** Inactive answers per client and minute before introspection has to wait (RFC 7662 §4). */
const SCAN_FAILURES = 60;

/** The operations of the OAuth server. */
export class OAuthServer extends Context.Service<
  OAuthServer,
  {
    /** Rows of grants, codes and tokens. */
    readonly grants: Grants;
    /** Authorization requests that wait for an answer. */
    readonly consents: Consents;
    /** Browsers. */
    readonly sessions: Sessions;
    /** Brake on scanning by introspection. */
    readonly scans: Throttle;
    /** Revocation and introspection. */
    readonly care: ReturnType<typeof makeTokenManagement>;
    /** The application of a request to the token endpoint. */
    authenticate(
      authorization: string | undefined,
      form: Form,
    ): Effect.Effect<RegisteredClient, OAuthFailure>;
    /** The token response to an authenticated client's form. */
    grant(client: RegisteredClient, form: Form): Effect.Effect<TokenResponse, OAuthFailure>;
    /**
     * Answers an authorization request in an account's name: where the browser would have been
     * sent.
     */
    authorizeAs(options: {
      readonly url: string;
      readonly account?: string | undefined;
      readonly deny?: boolean | undefined;
    }): { readonly redirect: string } | TestHelperRejected;
    /** Tokens without the flow. Service scopes, and no account, mean client credentials. */
    issue(options: {
      readonly clientId: string;
      readonly account?: string | undefined;
      readonly scopes?: ReadonlyArray<string> | undefined;
    }): TokenResponse | TestHelperRejected;
  }
>()("@game-data/sandbox/OAuthServer") {
  /** The server over the store. */
  static readonly layer: Layer.Layer<
    OAuthServer,
    never,
    Store | SandboxClock | Accounts | Clients | SandboxConfig
  > = Layer.effect(
    OAuthServer,
    Effect.gen(function* () {
      const store = yield* Store;
      const accounts = yield* Accounts;
      const clients = yield* Clients;
      const config = yield* SandboxConfig;
      const { nowUnsafe: now } = yield* SandboxClock;
      store.define(OAUTH_SCHEMA);

      const grants = makeGrants(store, now);
      const issuer = config.issuer ? config.authUrl : undefined;
      const consents = makeConsents({ store, clients, grants, now, issuer });
      const tokenGrants = makeTokenGrants({
        store,
        grants,
        accounts,
        now,
        refreshGraceMillis: config.refreshGraceMillis,
      });
      const secrets = makeThrottle(SECRET_FAILURES, now);
      const scans = makeThrottle(SCAN_FAILURES, now);
      store.onReset("throttles", () => {
        secrets.clear();
        scans.clear();
      });

      const authorizeAs: OAuthServer["Service"]["authorizeAs"] = ({ url, account, deny }) => {
        const person = account === undefined ? accounts.all[0] : accounts.byName(account);
        if (person === undefined) return { refused: "there is no account of that name" };
        const verdict = validateAuthorizeRequest(
          parseForm(queryOf(url.replace(/#.*$/u, ""))),
          clients,
        );
        if (verdict._tag === "Refused") return { refused: verdict.because };
        if (verdict._tag === "Failed") {
          return {
            redirect: consents.failureRedirect(verdict.redirectUri, verdict.state, verdict.reason),
          };
        }
        const { id } = consents.open(verdict.request);
        const redirect = consents.answer(
          id,
          deny === true ? { allow: false } : { allow: true, sub: person.uuid },
        );
        return redirect === undefined ? { refused: "the request expired" } : { redirect };
      };

      const issue: OAuthServer["Service"]["issue"] = (options) => {
        const client = clients.byId(options.clientId);
        if (client === undefined) return { refused: "there is no client of that id" };
        const scopes =
          options.scopes === undefined
            ? client.scopes.filter((scope) => isUserScope(client, [scope]))
            : options.scopes.length === 0
              ? []
              : parseScope(options.scopes.join(" "));
        if (scopes === undefined) return { refused: "a scope is unknown" };
        const asItself =
          client.kind === "confidential" &&
          (options.account === undefined || scopes.some(isServiceScope));
        const permitted = asItself ? isClientScope(client, scopes) : isUserScope(client, scopes);
        if (!permitted) return { refused: "the client may not have these scopes" };
        const person =
          options.account === undefined ? accounts.all[0] : accounts.byName(options.account);
        if (person === undefined) return { refused: "there is no account of that name" };
        return tokenGrants.issue({ client, sub: person.uuid, scopes, asItself });
      };

      return OAuthServer.of({
        grants,
        consents,
        sessions: makeSessions(store, now),
        scans,
        care: makeTokenManagement({ store, grants, accounts, now }),
        authenticate: (authorization, form) =>
          authenticateClient({
            authorization,
            parameters: form.values,
            clients,
            throttle: secrets,
          }),
        grant: (client, form) => tokenGrants.grant(client, form.values),
        authorizeAs,
        issue,
      });
    }),
  );
}
