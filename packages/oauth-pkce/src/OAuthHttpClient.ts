/**
 * The HTTP client that talks to the OAuth server; by default a bare `fetch`.
 *
 * It is a reference of its own and not the application's `HttpClient.HttpClient`, because that one
 * usually retries and follows redirects: right for a data API, wrong for single-use grants.
 * Override it to test, to use a proxy, or to run on undici. Whatever you provide, a request body is
 * handed out once, so a retrying or redirecting client fails with `OAuthTransportError` or
 * `UnexpectedRedirect` and never sends a credential twice.
 */
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as FetchHttpClient from "effect/http/FetchHttpClient";
import * as HttpClient from "effect/http/HttpClient";

/** The bare HTTP client for OAuth requests. */
export const OAuthHttpClient: Context.Reference<HttpClient.HttpClient> =
  /*#__PURE__*/ Context.Reference<HttpClient.HttpClient>("@game-data/oauth-pkce/OAuthHttpClient", {
    defaultValue: () =>
      Effect.runSync(Effect.provide(HttpClient.HttpClient, FetchHttpClient.layer)),
  });

/**
 * Uses the `HttpClient.HttpClient` of the environment for OAuth requests too. It must neither retry
 * nor follow redirects.
 */
export const layer: Layer.Layer<never, never, HttpClient.HttpClient> = /*#__PURE__*/ Layer.effect(
  OAuthHttpClient,
  HttpClient.HttpClient,
);
