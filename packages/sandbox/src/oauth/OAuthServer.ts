/** The OAuth server without its HTTP: what endpoints, pages and the control plane call. */
import type { IntrospectionResponse } from "./payloads.ts";
import type { Core } from "../Core.ts";
import { makeBrowsers } from "./Browsers.ts";
import { makeAuthenticateClient, makeThrottle } from "./ClientAuthentication.ts";
import { Consents } from "./Consents.ts";
import { Grants, isLive, type Token } from "./Grants.ts";
import { oauthTables } from "./tables.ts";
import { TokenGrants } from "./TokenGrants.ts";
import { type Identity, makeTokenVerifier } from "./TokenVerifier.ts";

/** Failed secrets per client and minute before the client has to wait. */
const SECRET_FAILURES = 20;

/** Inactive answers per client and minute before introspection has to wait (RFC 7662 §4). */
const SCAN_FAILURES = 60;

export type OAuthServer = ReturnType<typeof makeOAuthServer>;

export const makeOAuthServer = (core: Core, forgesState: () => boolean) => {
  const { accounts, clients, clock, config, store } = core;
  const tables = oauthTables(store);
  const grants = new Grants(tables, core);
  const throttle = makeThrottle(config.throttle ? SECRET_FAILURES : Infinity, clock.now);
  const scans = makeThrottle(config.throttle ? SCAN_FAILURES : Infinity, clock.now);
  store.onReset("throttles", () => {
    throttle.clear();
    scans.clear();
  });
  return {
    accounts,
    clients,
    grants,
    tokenGrants: new TokenGrants(core, tables, grants),
    browsers: makeBrowsers(core, tables),
    consents: new Consents(core, tables, grants, forgesState),
    scans,
    ...tokenManagement(core, grants),
    authenticate: makeAuthenticateClient(core, throttle),
    verify: makeTokenVerifier(core, grants),
  };
};

/**
 * Revoking (RFC 7009) and introspecting (RFC 7662) tokens.
 *
 * Both are called with a bearer token that has the scope; what that bearer may see is the tokens of
 * its own client, and, if a user consented to it, only those of that user. What it may not see is
 * treated as if it did not exist.
 */
const tokenManagement = ({ accounts, clock, store }: Core, grants: Grants) => {
  const visible = (bearer: Identity, text: string): Token | undefined => {
    const token = grants.token(text);
    const maySee =
      token?.grant.clientId === bearer.clientId &&
      (bearer.grantType === "client_credentials" || token.grant.sub === bearer.sub);
    return maySee ? token : undefined;
  };
  return {
    /** Revokes a token that the bearer may see; anything else is left as it is (RFC 7009 §2.2). */
    revoke: (bearer: Identity, text: string): void =>
      store.transact(() => {
        const token = visible(bearer, text);
        if (token !== undefined) grants.revoke(token);
      }),
    /** Returns the facts of a token, or only that it is not active (RFC 7662 §2.2). */
    introspect: (bearer: Identity, text: string): IntrospectionResponse => {
      const token = visible(bearer, text);
      if (token === undefined || !isLive(token, clock.now())) return { active: false };
      const { expiresAt, grant, issuedAt, kind, scopes } = token;
      return {
        active: true,
        scope: scopes.join(" "),
        client_id: grant.clientId,
        username: accounts.byUuid(grant.sub)?.name ?? "",
        sub: grant.sub,
        ...(kind === "access" ? { token_type: "bearer" } : {}),
        iat: Math.floor(issuedAt / 1_000),
        ...(expiresAt === null ? {} : { exp: Math.floor(expiresAt / 1_000) }),
      };
    },
  };
};
