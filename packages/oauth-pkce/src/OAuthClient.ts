/**
 * Who we are to the OAuth server: a public client (desktop program, no secret) or a confidential one (a server).
 *
 * Build one with `publicClient` or `confidentialClient`; both check what §5 demands of the client type before anything is
 * sent. The type decides which grants compile: `ClientCredentials` takes a `ConfidentialClient` only.
 */
import { Lifetimes } from "@game-data/contract";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type { ConfigurationInvalid } from "./Errors.ts";
import { isLoopback, isRegisteredDomain } from "./internal/hosts.ts";
import { misconfigured } from "./internal/misconfigured.ts";

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
  /** How long one request may take, reading the answer included. Default: 20 seconds; a file store wants under 60. */
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
  readonly clientSecret?: undefined;
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
  const { clientSecret: secret, redirectUri } = options;
  if (!secret) return yield* misconfigured("clientSecret is empty");
  if (redirectUri !== undefined) yield* checkRedirectUri("confidential", redirectUri);
  const clientSecret = Redacted.isRedacted(secret)
    ? secret
    : Redacted.make(secret, { label: "client_secret" });
  return { ...common, kind: "confidential", clientSecret, redirectUri };
});

/** Checks a redirect URI against the rules of a client type and returns it unchanged: it is compared byte for byte. */
export const checkRedirectUri = (
  kind: OAuthClient["kind"],
  redirectUri: string,
): Effect.Effect<string, ConfigurationInvalid> => {
  const url = URL.parse(redirectUri);
  const isAllowed =
    kind === "public"
      ? /^http:\/\/(127\.0\.0\.1|\[::1\])(:\d+)?\/[^\s\\#]*$/.test(redirectUri)
      : /^https:[^#@]+$/.test(redirectUri) && isRegisteredDomain(url?.hostname ?? "");
  if (url && isAllowed) return Effect.succeed(redirectUri);
  return misconfigured(
    kind === "public"
      ? "redirectUri must be http://127.0.0.1 or http://[::1] with a path"
      : "redirectUri must be https on a domain, no IP address and not localhost",
  );
};

const checkCommon = /*#__PURE__*/ Effect.fnUntraced(function* (
  options: ClientOptions,
  consentLifetime: Duration.Duration,
): Effect.fn.Return<Common, ConfigurationInvalid> {
  const { authUrl, clientId, issuer } = options;
  const url = URL.parse(authUrl);
  const isInsecureLoopback =
    options.allowInsecureLoopback && url?.protocol === "http:" && isLoopback(url.hostname);
  if ((url?.protocol !== "https:" && !isInsecureLoopback) || /[?#@]/.test(authUrl))
    return yield* misconfigured("authUrl must be https, or http on loopback where that is allowed");
  if (!clientId) return yield* misconfigured("clientId is empty");
  return {
    authUrl: authUrl.replace(/\/+$/, ""),
    clientId,
    issuer,
    requireIssuer: options.requireIssuer ?? issuer !== undefined,
    timeout: Duration.fromInputUnsafe(options.timeout ?? DEFAULT_TIMEOUT),
    maxResponseBytes: options.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES,
    consentLifetime: Duration.fromInputUnsafe(options.consentLifetime ?? consentLifetime),
  };
});
