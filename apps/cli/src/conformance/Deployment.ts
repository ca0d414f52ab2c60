/**
 * Sends requests to the deployment under examination and keeps the responses as they arrived.
 *
 * Requests go through the client, so its rate limiter and its sign-in apply. The responses are
 * taken at `fetch`, below the client's own checks.
 */
import { type Credentials, GameApi } from "@game-data/api-client";
import { identityWords, makeWords, type Scope as TokenScope } from "@game-data/contract";
import { Context, Effect, Layer } from "effect";
import * as FetchHttpClient from "effect/http/FetchHttpClient";
import type { PackageError } from "@game-data/terminal/toFailure";
import type { Settings } from "../config/Settings.ts";
import { apiOptions, credentialsFor, limiterOf } from "../session/connect.ts";
import type { Exchange } from "./report.ts";

/** A request of the examination. */
export interface Question {
  /** Path and query, in the deployment's words. */
  readonly target: string;
  /** The name under which the rate limiter learns its limits. */
  readonly route: string;
  /** Scopes of the token. None: the request is sent without a token. */
  readonly scopes: ReadonlyArray<TokenScope>;
  /** A token to send instead, whatever its scopes. */
  readonly token?: Credentials | undefined;
}

/** Opens the deployment of the settings. */
export const openDeployment = Effect.fnUntraced(function* (from: Settings) {
  const seen: Seen = { last: undefined };
  const options = yield* apiOptions(from);
  const http = Layer.provide(
    FetchHttpClient.layer,
    Layer.succeed(FetchHttpClient.Fetch, recordingFetch(seen)),
  );
  const context = yield* Layer.build(
    GameApi.layerWithLimiter(options).pipe(Layer.provide(Layer.merge(limiterOf(from), http))),
  );
  const api = Context.get(context, GameApi);
  const known = new Map<string, Credentials>();
  const credentials = Effect.fnUntraced(function* (scopes: ReadonlyArray<TokenScope>) {
    const key = scopes.join(" ");
    const found = known.get(key) ?? (yield* credentialsFor(from, scopes));
    known.set(key, found);
    return found;
  });

  /** Sends a question. Returns the response, of any status, or the error that prevented one. */
  const ask = Effect.fnUntraced(function* ({ route, scopes, target, token }: Question) {
    const as = token ?? (scopes.length === 0 ? undefined : yield* credentials(scopes));
    const user = as === undefined ? api : api.as(as, { identity: "conformance" });
    const [path = "", query = ""] = target.split("?");
    seen.last = undefined;
    const error = yield* user
      .request(
        {
          path,
          query: Object.fromEntries(new URLSearchParams(query)),
          route,
          // A token of unknown scopes is sent: the service knows them.
          ...(token === undefined && { scopes }),
        },
        { retries: 1 },
      )
      .pipe(Effect.match({ onSuccess: () => undefined, onFailure: (failed) => failed }));
    const exchange = seen.last as Exchange | undefined;
    return exchange ?? { failed: error as PackageError };
  });

  return {
    ask,
    credentials,
    /** Whether tokens are those of an application, which obtains one for any set of scopes. */
    isApplication: from.token === undefined && from.clientSecret !== undefined,
    words: from.words === undefined ? identityWords : makeWords(from.words),
  };
});

/** An open deployment. */
export type Deployment = Effect.Success<ReturnType<typeof openDeployment>>;

interface Seen {
  last: Exchange | undefined;
}

/** A `fetch` that keeps the last whole response. */
const recordingFetch =
  (seen: Seen): typeof fetch =>
  async (input, init) => {
    seen.last = undefined;
    const response = await fetch(input, init);
    const bytes = await response.arrayBuffer();
    const { headers, status, statusText } = response;
    const url = new URL(input instanceof Request ? input.url : input);
    seen.last = {
      request: `GET ${url.pathname}${url.search}`,
      status,
      headers,
      text: new TextDecoder().decode(bytes),
    };
    return new Response(bytes.byteLength === 0 ? null : bytes, { headers, status, statusText });
  };
