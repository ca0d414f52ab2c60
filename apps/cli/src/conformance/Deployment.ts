/**
 * The deployment of the settings, as an examination asks it. Requests go through the client, so its
 * rate limiter and its sign-in apply. The responses are taken at `fetch`, below the client's own
 * checks.
 */
import { type Credentials, GameApi, PolicyLimiter } from "@game-data/api-client";
import { identityWords, makeWords, type Scope as TokenScope } from "@game-data/contract";
import {
  bodyOf,
  type Deployment,
  type Exchange,
  exchangeOf,
  type Question,
  type Unanswered,
} from "@game-data/sandbox/conformance";
import { Failure } from "@game-data/terminal/Failure";
import { type PackageError, toFailure } from "@game-data/terminal/toFailure";
import { Context, Effect, Layer } from "effect";
import * as FetchHttpClient from "effect/http/FetchHttpClient";
import { required, type Settings } from "../config/Settings.ts";
import { apiOptions, credentialsFor } from "../session/connect.ts";

/** Opens the deployment of the settings. */
export const openDeployment = Effect.fnUntraced(function* (from: Settings) {
  const seen: Seen = { last: undefined, isAnswering: false };
  const http = Layer.provide(
    FetchHttpClient.layer,
    Layer.succeed(FetchHttpClient.Fetch, recordingFetch(seen)),
  );
  const context = yield* Layer.build(
    GameApi.layerWithLimiter(yield* apiOptions(from)).pipe(
      Layer.provide(Layer.merge(Layer.orDie(PolicyLimiter.layerMemory()), http)),
    ),
  );
  const api = Context.get(context, GameApi);
  const known = new Map<string, Credentials>();
  // A sign-in needs the platform, and an examination asks for none.
  const platform = yield* Effect.context<Effect.Services<ReturnType<typeof credentialsFor>>>();
  const credentials = (scopes: ReadonlyArray<TokenScope>) =>
    Effect.gen(function* () {
      const key = scopes.join(" ");
      const found = known.get(key) ?? (yield* credentialsFor(from, scopes));
      known.set(key, found);
      return found;
    }).pipe(Effect.provideContext(platform));

  const send = Effect.fnUntraced(function* ({ route, scopes, target, token }: Question) {
    const as = token ?? (scopes.length === 0 ? undefined : yield* credentials(scopes));
    const user = as === undefined ? api : api.as(as, { identity: "conformance" });
    const [path = "", query = ""] = target.split("?");
    seen.last = undefined;
    const request = {
      path,
      query: Object.fromEntries(new URLSearchParams(query)),
      route,
      // A token of unknown scopes is sent: the service knows them.
      ...(token === undefined && { scopes }),
    };
    const error = yield* user
      .request(request, { retries: 1 })
      .pipe(Effect.match({ onSuccess: () => undefined, onFailure: (failed) => failed }));
    // A response of any status is what is examined, whatever the client says of it.
    return (seen.last as Exchange | undefined) ?? (yield* Effect.fail(error as PackageError));
  });

  return {
    baseUrl: yield* required(from, "baseUrl"),
    words: from.words === undefined ? identityWords : makeWords(from.words),
    ask: (question) => send(question).pipe(Effect.catch((error) => unanswered(error, seen))),
    // A token of the settings, or of a user, has the scopes that it has.
    hasToken: (scopes) =>
      from.token !== undefined || from.clientSecret === undefined
        ? Effect.succeed(false)
        : Effect.match(credentials(scopes), { onSuccess: () => true, onFailure: () => false }),
  } satisfies Deployment<Failure>;
});

const unanswered = (
  error: PackageError | Failure,
  seen: Seen,
): Effect.Effect<Unanswered, Failure> => {
  const failed = error instanceof Failure ? error : toFailure(error);
  const { code, message: reason } = failed;
  if (NOT_PERMITTED.has(code) || (error._tag as string) === "InvalidScope")
    return Effect.succeed({ kind: "not permitted", reason });
  // Before the first response the address or the settings are wrong, not the service.
  if (!seen.isAnswering || STOPS.has(code)) return Effect.fail(failed);
  return Effect.succeed({ kind: "no response", reason });
};

interface Seen {
  last: Exchange | undefined;
  isAnswering: boolean;
}

/** A `fetch` that keeps the last whole response. */
const recordingFetch =
  (seen: Seen): typeof fetch =>
  async (input, init) => {
    seen.last = undefined;
    const response = await fetch(input, init);
    const bytes = await bodyOf(response);
    const url = new URL(input instanceof Request ? input.url : input);
    seen.last = exchangeOf(`${url.pathname}${url.search}`, response, bytes);
    seen.isAnswering = true;
    const { headers, status, statusText } = response;
    return new Response(bytes.byteLength === 0 ? null : bytes, { headers, status, statusText });
  };

/** A token for the scopes cannot be had: the endpoint is not asked. */
const NOT_PERMITTED: ReadonlySet<string> = new Set(["not-signed-in", "scope-missing"]);

/** Going on would only make it worse, or fail in the same way. */
const STOPS: ReadonlySet<string> = new Set([
  "rate-limited",
  "setting-invalid",
  "setting-missing",
  "client-rejected",
  "token-store-failed",
  "internal",
]);
