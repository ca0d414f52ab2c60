/**
 * Identifies us to the OAuth server: a public client (desktop program, no secret) or a confidential
 * one (a server).
 *
 * Build one with `publicClient` or `confidentialClient`; both check what §5 demands of the client
 * type before anything is sent. The type decides which grants compile: `ClientCredentials` takes a
 * `ConfidentialClient` only.
 *
 * @example
 * ```ts
 * import { OAuthClient } from "@game-data/oauth-pkce";
 * import { Effect } from "effect";
 *
 * const client = await Effect.runPromise(
 *   OAuthClient.publicClient({
 *     authUrl: "https://auth.example",
 *     clientId: "price-tool",
 *     redirectUri: "http://127.0.0.1/callback",
 *   }),
 * );
 * if (client.kind !== "public") throw new Error("a client without a secret is public");
 * ```
 */
import { Lifetimes } from "@game-data/contract/Lifetimes";
import { isSecureUrl } from "@game-data/contract/SecureUrl";
import { formatUserAgent, type UserAgent } from "@game-data/contract/UserAgent";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type { ConfigurationInvalid } from "./Errors.ts";
import { configurationError, positiveTime } from "./internal/options.ts";

/** Options of both client types. */
export interface ClientOptions {
  /**
   * Base address of the OAuth server, `{auth_url}` of the specification; take it from your
   * `Deployment`. Must be https; http for a server on this machine (a sandbox) alone.
   */
  readonly authUrl: string;
  /** The registered client id. */
  readonly clientId: string;
  /**
   * The issuer that callbacks must name (RFC 9207). Not part of the specification; default: not
   * checked.
   */
  readonly issuer?: string;
  /** Refuse callbacks without `iss`. Default: `true` when `issuer` is given. */
  readonly requireIssuer?: boolean;
  /**
   * Time limit of one request, with the reading of its response. Default: 20 seconds.
   */
  readonly timeout?: Duration.Input;
  /** Maximum size of a response. Default: 64 KiB. */
  readonly maxResponseBytes?: number;
  /**
   * Names your program in requests to the OAuth server; the same value as the `userAgent` of an API
   * client. Default: the header of the HTTP client, such as `node`. In a browser the header is the
   * browser's own, so leave this out there.
   */
  readonly userAgent?: UserAgent | undefined;
  /** Lifetime of a consent. Default: `Lifetimes.refreshToken` of the contract, by client type (§8). */
  readonly consentLifetime?: Duration.Input;
  /**
   * Sends the requests, through a proxy for example. Default: the global one, called as late as
   * possible. An `OAuthHttpClient` that is provided goes before it.
   */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** Options of `publicClient`. */
export interface PublicClientOptions extends ClientOptions {
  /**
   * The registered loopback redirect URI, for example `http://127.0.0.1/callback`; a receiver adds
   * its port.
   */
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
  /** The header's value. */
  readonly userAgent: string | undefined;
  readonly fetch: typeof globalThis.fetch | undefined;
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
 * Its redirect URI must be `http` on a literal loopback address with a path (§5; RFC 8252 §7.3 and
 * §8.3 rule out `localhost`, which resolves as the machine's owner, or its attacker, likes).
 */
export const publicClient = (
  options: PublicClientOptions,
): Effect.Effect<PublicClient, ConfigurationInvalid> => make<PublicClient>("public", options);

/**
 * A checked confidential client.
 *
 * Its redirect URI must be `https` on a registered domain; IP addresses and localhost are refused
 * even in development (§5).
 */
export const confidentialClient = (
  options: ConfidentialClientOptions,
): Effect.Effect<ConfidentialClient, ConfigurationInvalid> => {
  const { clientSecret } = options;
  return make<ConfidentialClient>(
    "confidential",
    options,
    Redacted.isRedacted(clientSecret) ? clientSecret : Redacted.make(clientSecret),
  );
};

/**
 * Checks a redirect URI against the rules of a client type and returns it unchanged: it is compared
 * byte for byte.
 */
export const checkRedirectUri = (
  kind: OAuthClient["kind"],
  redirectUri: string | undefined = "",
): Effect.Effect<string, ConfigurationInvalid> => {
  const isPublic = kind === "public";
  const url = URL.parse(redirectUri);
  return url &&
    (isPublic
      ? /^http:\/\/(127\.0\.0\.1|\[::1\])(:\d+)?\/[^\s\\#]*$/.test(redirectUri)
      : /^https:[^#@]+$/.test(redirectUri) && isRegisteredDomain(url.hostname))
    ? Effect.succeed(redirectUri)
    : configurationError(
        "redirectUri",
        `must be ${isPublic ? "http on 127.0.0.1 or [::1], with a path" : "https on a domain"}`,
      );
};

/**
 * Whether the host is a name of at least two labels that is neither an IP address nor localhost
 * (§5). `URL.hostname` has normalised IPv4 and case.
 */
const isRegisteredDomain = (hostname: string): boolean =>
  /^([^.]+\.)+(?!localhost$)\d*[^.\d][^.]*$/.test(hostname);

const make = <Client extends OAuthClient>(
  kind: Client["kind"],
  options: ClientOptions & { readonly redirectUri?: string },
  clientSecret?: Redacted.Redacted,
): Effect.Effect<Client, ConfigurationInvalid> =>
  Effect.suspend(() => {
    const { authUrl, clientId, issuer, redirectUri } = options;
    // A variable of the environment that is not set arrives as `undefined`.
    const url = URL.parse(authUrl);
    if (!url || !isSecureUrl(url) || /[?#@]/.test(authUrl))
      return configurationError("authUrl", "must be https, or http on this machine");
    if (!clientId) return configurationError("clientId", "must not be empty");
    if (clientSecret && !Redacted.value(clientSecret))
      return configurationError("clientSecret", "must not be empty");
    const userAgent = options.userAgent && formatUserAgent(options.userAgent);
    if (userAgent?.ok === false)
      return configurationError(`userAgent.${userAgent.option}`, userAgent.reason);
    // Longer than any healthy response takes, shorter than the 30 seconds a code lives.
    const timeout = positiveTime("timeout", options.timeout ?? "20 seconds");
    if (!Duration.isDuration(timeout)) return timeout;
    const consentLifetime = positiveTime(
      "consentLifetime",
      options.consentLifetime ?? Duration.seconds(Lifetimes.refreshToken[kind]),
    );
    if (!Duration.isDuration(consentLifetime)) return consentLifetime;
    // A token response holds a few hundred bytes.
    const { maxResponseBytes = 65_536 } = options;
    if (!(maxResponseBytes > 0))
      return configurationError("maxResponseBytes", "must be a positive number");
    const client = {
      kind,
      authUrl: authUrl.replace(/(?<!\/)\/+$/, ""),
      clientId,
      clientSecret,
      redirectUri,
      issuer,
      requireIssuer: options.requireIssuer ?? issuer !== undefined,
      timeout,
      maxResponseBytes,
      consentLifetime,
      userAgent: userAgent?.value,
      fetch: options.fetch,
      // The kind has decided what the secret and the redirect URI may be.
    } as unknown as Client;
    return clientSecret && redirectUri === undefined
      ? Effect.succeed(client)
      : Effect.as(checkRedirectUri(kind, redirectUri), client);
  });
