/**
 * Registering a client: its document, the rules of §5 by which it is refused, and when the redirect
 * URI of a request is the registered one.
 *
 * Redirect URIs are judged as raw strings. A URL parser reads `127.1`, `0x7f.1`, `127.0.0.1\@evil`
 * and a host in upper case as something else than they look like; here a URI that does not look
 * right is refused (RFC 8252 §8.4, RFC 9700 §2.1).
 */
import { isServiceScope, scopes as SCOPES } from "@game-data/contract/Scope";
import * as Schema from "effect/Schema";

const { optional, String: Text } = Schema;

export const Kind = Schema.Literals(["public", "confidential"]);
/** Whether a client can keep a secret (§5). */
export type ClientKind = typeof Kind.Type;

const Grant = Schema.Literals(["authorization_code", "client_credentials", "refresh_token"]);
export const GrantTypes = Schema.Array(Grant);
/** Grant that a client may use at the token endpoint (§4.1). */
export type GrantType = typeof Grant.Type;

/** Registration of a client. Its kind decides the defaults of the optional members. */
export const ClientRegistration = Schema.Struct({
  /** Id of the client. A second registration with this id replaces the first. */
  clientId: Text,
  /** Name that the consent page shows; the id by default. */
  name: optional(Text),
  /** Whether the client can keep a secret. */
  kind: Kind,
  /** Secret of a confidential client; derived from the seed when left out. */
  clientSecret: optional(Schema.NonEmptyString),
  /** URIs to which a user may be redirected after the consent. */
  redirectUris: Schema.Array(Text),
  /**
   * Domains that the application's owner has registered; a confidential redirect URI lies on one of
   * them.
   */
  domains: optional(Schema.Array(Text)),
  /** Scopes that the client may request; all that its kind permits by default. */
  scopes: optional(Schema.Array(Schema.Literals(SCOPES))),
  /** Name of the account that owns the application; the first seeded account by default. */
  owner: optional(Text),
  /** Grants that the client may use; all that its kind permits by default. */
  grants: optional(GrantTypes),
  /** Whether the client gets refresh tokens; true by default. */
  refreshTokens: optional(Schema.Boolean),
}).annotate({ identifier: "ClientRegistration" });
export type ClientRegistration = typeof ClientRegistration.Type;

/** The rule that a registration breaks, and the JSON pointer of the member that does. */
interface BrokenRule {
  readonly at: string;
  readonly reason: string;
}

/** Returns the rule that a registration breaks, or undefined (§5, table of client types). */
export const brokenRule = (registration: ClientRegistration): BrokenRule | undefined => {
  const { clientId, clientSecret, domains = [], grants, kind, redirectUris, scopes } = registration;
  if (!/^[\x21-\x7e]{1,128}$/u.test(clientId))
    return { at: "/clientId", reason: "the client id is not printable ASCII" };
  if (kind === "public" && clientSecret !== undefined)
    return { at: "/clientSecret", reason: "a public client has no secret" };
  const scope = scopes?.findIndex(isServiceScope) ?? -1;
  if (kind === "public" && scope !== -1)
    return { at: `/scopes/${scope}`, reason: "service scopes need a confidential client" };
  const grant = grants?.indexOf("client_credentials") ?? -1;
  if (kind === "public" && grant !== -1)
    return {
      at: `/grants/${grant}`,
      reason: "the client credentials grant needs a confidential client",
    };
  for (const [index, uri] of redirectUris.entries()) {
    const reason = kind === "public" ? loopbackProblem(uri) : domainProblem(uri, domains);
    if (reason !== undefined) return { at: `/redirectUris/${index}`, reason };
  }
  return undefined;
};

/**
 * Redirect URI of a public client: a loopback literal, any port, a path, perhaps a query (RFC 8252
 * §7.3). No userinfo, escapes of the host, or fragment.
 */
const LOOPBACK =
  /^http:\/\/(127\.0\.0\.1|\[::1\])(?::(\d{1,5}))?(\/[\x21\x24-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]*)$/u;

/** Redirect URI of a confidential client. `HOST_NAME` checks its host. */
const HTTPS =
  /^https:\/\/([^/?#\\@:]+)(?::(\d{1,5}))?(\/[\x21\x24-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e]*)?$/u;

const HOST_NAME = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/u;

/**
 * Whether the redirect URI of a request is the registered one. Only the port of a public client's
 * loopback literal may differ (RFC 8252 §7.3).
 */
export const redirectMatches = (
  kind: ClientKind,
  registered: string,
  requested: string,
): boolean => {
  if (registered === requested) return true;
  if (kind !== "public") return false;
  const left = LOOPBACK.exec(registered);
  const right = LOOPBACK.exec(requested);
  return (
    left !== null &&
    right !== null &&
    isPort(right[2]) &&
    left[1] === right[1] &&
    left[3] === right[3]
  );
};

/** Adds parameters to a redirect URI, keeping its own query (RFC 6749 §3.1.2). */
export const withParameters = (
  uri: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string => {
  const query = Object.entries(parameters)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&");
  return `${uri}${uri.includes("?") ? (/[?&]$/u.test(uri) ? "" : "&") : "?"}${query}`;
};

/** Whether a port is absent, or a number from 1 to 65,535 without leading zeros. */
const isPort = (port: string | undefined): boolean =>
  port === undefined || (/^[1-9]\d{0,4}$/u.test(port) && Number(port) <= 65_535);

const loopbackProblem = (uri: string): string | undefined => {
  const parts = LOOPBACK.exec(uri);
  if (parts === null) {
    return "a public client's redirect URI is http on 127.0.0.1 or [::1] with a path and no fragment";
  }
  return isPort(parts[2]) ? undefined : "the port of the redirect URI is out of range";
};

const domainProblem = (uri: string, domains: ReadonlyArray<string>): string | undefined => {
  const parts = HTTPS.exec(uri);
  if (parts === null) {
    return "a confidential client's redirect URI is https without userinfo or fragment";
  }
  if (!isPort(parts[2])) return "the port of the redirect URI is out of range";
  const host = parts[1] as string;
  if (host === "localhost" || host.endsWith(".localhost")) return "localhost is not accepted";
  if (/^[\d.]+$/u.test(host) || /^0x/iu.test(host)) return "IP addresses are not accepted";
  if (!HOST_NAME.test(host))
    return "the host of the redirect URI is not a domain name in lower case";
  const registered = domains.some((domain) => host === domain || host.endsWith(`.${domain}`));
  return registered
    ? undefined
    : "the host of the redirect URI is not a registered domain of the owner";
};
