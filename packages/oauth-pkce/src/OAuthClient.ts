/**
 * Who we are to the OAuth server: a public client (desktop program, no secret) or a confidential one (a server).
 *
 * Build one with `publicClient` or `confidentialClient`; both check what §5 demands of the client type before anything is
 * sent. The type decides which grants compile: `ClientCredentials` takes a `ConfidentialClient` only.
 */
import { Lifetimes } from "@game-data/contract";
import { Duration, Effect, Redacted } from "effect";
import { ConfigurationInvalid } from "./Errors.ts";
import { isLoopback, isRegisteredDomain } from "./internal/hosts.ts";

/** Longer than any healthy answer takes, shorter than the 30 seconds a code lives. */
const DEFAULT_TIMEOUT = "20 seconds";

/** A token response holds a few hundred bytes. */
const DEFAULT_MAX_RESPONSE_BYTES = 64 * 1024;

/** What both client types have in common. */
export interface ClientOptions {
  /** Base address of the OAuth server, `{auth_url}` of the specification; take it from your `Deployment`. */
  readonly authUrl: string;
  /** The registered client id. */
  readonly clientId: string;
  /** Allows plain http for a loopback `authUrl` (a sandbox on this machine). Default: https only. */
  readonly allowInsecureLoopback?: boolean;
  /** The issuer that callbacks must name (RFC 9207). Not part of the specification; default: not checked. */
  readonly issuer?: string;
  /** Refuse callbacks without `iss`. Default: `true` when `issuer` is given. */
  readonly requireIssuer?: boolean;
  /** How long one request may take, reading the answer included. Default: 20 seconds. */
  readonly timeout?: Duration.Input;
  /** How many bytes of an answer are read. Default: 64 KiB. */
  readonly maxResponseBytes?: number;
  /** How long a consent lasts. Default by client type: 90 days (confidential), 7 days (public), §8. */
  readonly consentLifetime?: Duration.Input;
}

/** Options of `publicClient`. */
export interface PublicClientOptions extends ClientOptions {
  /** The registered loopback redirect URI, for example `http://127.0.0.1/callback`; a receiver adds its port. */
  readonly redirectUri: string;
}

/** Options of `confidentialClient`. */
export interface ConfidentialClientOptions extends ClientOptions {
  /** The client's secret; it goes into request bodies only. */
  readonly clientSecret: Redacted.Redacted | string;
  /** The registered https redirect URI. Leave it out when only client credentials are used. */
  readonly redirectUri?: string;
}

interface Common {
  readonly authUrl: string;
  readonly clientId: string;
  readonly issuer: string | undefined;
  readonly requireIssuer: boolean;
  readonly timeout: Duration.Duration;
  readonly maxResponseBytes: number;
  readonly consentLifetime: Duration.Duration;
}

/** A client without a secret: authorization code with PKCE only (§5). */
export interface PublicClient extends Common {
  readonly kind: "public";
  readonly redirectUri: string;
}

/** A client that can keep a secret, with every grant. */
export interface ConfidentialClient extends Common {
  readonly kind: "confidential";
  readonly clientSecret: Redacted.Redacted;
  readonly redirectUri: string | undefined;
}

/** Either client type. */
export type OAuthClient = PublicClient | ConfidentialClient;

/**
 * A checked public client.
 *
 * Its redirect URI must be `http` on a literal loopback address with a path (§5; RFC 8252 §7.3 and §8.3 rule out
 * `localhost`, which resolves as the machine's owner, or its attacker, likes).
 */
export const publicClient = /*#__PURE__*/ Effect.fnUntraced(function* (
  options: PublicClientOptions,
): Effect.fn.Return<PublicClient, ConfigurationInvalid> {
  const common = yield* checkCommon(options, Lifetimes.refreshToken.public);
  const redirectUri = yield* checkRedirectUri("public", options.redirectUri);
  return { ...common, kind: "public", redirectUri };
});

/**
 * A checked confidential client.
 *
 * Its redirect URI must be `https` on a registered domain; IP addresses and localhost are refused even in development (§5).
 */
export const confidentialClient = /*#__PURE__*/ Effect.fnUntraced(function* (
  options: ConfidentialClientOptions,
): Effect.fn.Return<ConfidentialClient, ConfigurationInvalid> {
  const common = yield* checkCommon(options, Lifetimes.refreshToken.confidential);
  const clientSecret = Redacted.isRedacted(options.clientSecret)
    ? options.clientSecret
    : Redacted.make(options.clientSecret, { label: "client_secret" });
  if (Redacted.value(clientSecret) === "") return yield* invalid("clientSecret is empty.");
  const redirectUri =
    options.redirectUri === undefined
      ? undefined
      : yield* checkRedirectUri("confidential", options.redirectUri);
  return { ...common, kind: "confidential", clientSecret, redirectUri };
});

/** Checks a redirect URI against the rules of a client type and returns it unchanged: it is compared byte for byte. */
export const checkRedirectUri = (
  kind: OAuthClient["kind"],
  redirectUri: string,
): Effect.Effect<string, ConfigurationInvalid> => {
  const url = URL.parse(redirectUri);
  if (url === null || redirectUri.includes("#") || url.username !== "" || url.password !== "")
    return invalid("redirectUri is no absolute URI without fragment and user.");
  if (kind === "public")
    return /^http:\/\/(127\.0\.0\.1|\[::1\])(:\d+)?\/[^\s\\]*$/.test(redirectUri)
      ? Effect.succeed(redirectUri)
      : invalid("A public client's redirectUri is http://127.0.0.1 or http://[::1] with a path.");
  return url.protocol === "https:" && isRegisteredDomain(url.hostname)
    ? Effect.succeed(redirectUri)
    : invalid("A confidential client's redirectUri is https on a domain, not an IP or localhost.");
};

const invalid = (reason: string) => Effect.fail(new ConfigurationInvalid({ reason }));

const checkCommon = /*#__PURE__*/ Effect.fnUntraced(function* (
  options: ClientOptions,
  consentLifetime: Duration.Duration,
): Effect.fn.Return<Common, ConfigurationInvalid> {
  const url = URL.parse(options.authUrl);
  if (url === null || url.search !== "" || url.hash !== "" || url.username !== "")
    return yield* invalid("authUrl is no absolute URL without query, fragment and user.");
  const isInsecureLoopback =
    options.allowInsecureLoopback === true && url.protocol === "http:" && isLoopback(url.hostname);
  if (url.protocol !== "https:" && !isInsecureLoopback)
    return yield* invalid("authUrl must be https, or http on loopback with allowInsecureLoopback.");
  if (options.clientId === "") return yield* invalid("clientId is empty.");
  return {
    authUrl: url.href.replace(/\/+$/, ""),
    clientId: options.clientId,
    issuer: options.issuer,
    requireIssuer: options.requireIssuer ?? options.issuer !== undefined,
    timeout: Duration.fromInputUnsafe(options.timeout ?? DEFAULT_TIMEOUT),
    maxResponseBytes: options.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES,
    consentLifetime: Duration.fromInputUnsafe(options.consentLifetime ?? consentLifetime),
  };
});
