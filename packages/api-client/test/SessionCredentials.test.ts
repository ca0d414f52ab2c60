import { NotSignedIn, ServerUnavailable, type Session, type TokenSet } from "@game-data/oauth-pkce";
import { Effect, Exit, Layer, Redacted } from "effect";
import * as HttpClient from "effect/http/HttpClient";
import * as HttpClientResponse from "effect/http/HttpClientResponse";
import { describe, expect, it } from "vitest";
import { GameApi } from "../src/index.ts";
import { layerOver, recording } from "./recording.ts";
import { failureOf, userAgent } from "./sandbox.ts";

const answering = (answer: (signal: AbortSignal) => Response) =>
  Layer.succeed(
    HttpClient.HttpClient,
    HttpClient.make((request, _url, signal) =>
      Effect.sync(() => HttpClientResponse.fromWeb(request, answer(signal))),
    ),
  );

const use = <A, E>(
  call: (api: GameApi["Service"]) => Effect.Effect<A, E>,
  http: Layer.Layer<HttpClient.HttpClient>,
) =>
  Effect.flatMap(GameApi, call).pipe(
    Effect.provide(
      GameApi.layer({ baseUrl: "https://api.example", userAgent }).pipe(Layer.provide(http)),
    ),
    Effect.exit,
    Effect.runPromise,
  );

describe("an answer that streams", () => {
  it("ends its connection when it turns out to be an error", async () => {
    let connection: AbortSignal | undefined;
    const http = answering((signal) => {
      connection = signal;
      return new Response("no", { status: 404 });
    });
    const exit = await use(
      (api) =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(api.publicStashTabs.raw());
          return [error._tag, connection?.aborted];
        }).pipe(Effect.scoped),
      http,
    );
    expect(Exit.isSuccess(exit) && exit.value).toEqual(["NotFound", true]);
  });

  it("keeps it for as long as its scope", async () => {
    let connection: AbortSignal | undefined;
    const http = answering((signal) => {
      connection = signal;
      return new Response("{}", { status: 200 });
    });
    const exit = await use(
      (api) =>
        Effect.map(
          Effect.scoped(Effect.map(api.publicStashTabs.raw(), () => connection?.aborted)),
          (within) => [within, connection?.aborted],
        ),
      http,
    );
    expect(Exit.isSuccess(exit) && exit.value).toEqual([false, true]);
  });
});

describe("a session as credentials", () => {
  const tokens = (scopes: ReadonlyArray<string>) =>
    ({
      revision: "1",
      accessToken: Redacted.make("secret-token"),
      expiresAt: "unknown",
      issuedAt: 0,
      scopes,
    }) as unknown as TokenSet.TokenSet;
  const session = (set: Session.Session["tokens"]) =>
    ({ tokens: set, withFreshToken: () => Effect.die("unused") }) as unknown as Session.Session;
  /** What comes of a call with the credentials, and how many requests were sent for it. */
  const called = async (tokensOf: Session.Session["tokens"]) => {
    const { http, sent } = recording();
    const credentials = session(tokensOf);
    const profile = Effect.flatMap(GameApi, (api) => api.profile.get());
    const exit = await Effect.runPromiseExit(
      Effect.provide(profile, layerOver(http, { credentials })),
    );
    return { exit, sent };
  };

  it("whose server did not tell its scopes may try every endpoint", async () => {
    const { exit } = await called(Effect.succeed(tokens([])));
    expect(Exit.isSuccess(exit)).toBe(true);
  });

  it("with other scopes is refused before anything is sent [CL-12]", async () => {
    const { exit, sent } = await called(Effect.succeed(tokens(["account:characters"])));
    expect(failureOf(exit)).toMatchObject({
      _tag: "Forbidden",
      scopesMissing: ["account:profile"],
    });
    expect(sent).toEqual([]);
  });

  it("whose user signed out says so once, and in words", async () => {
    const { exit } = await called(Effect.fail(new NotSignedIn()));
    expect(failureOf(exit).message).toBe(
      "profile.get: there is no access token: Nobody is signed in. Sign in.",
    );
  });

  it("whose server cannot answer now is worth another try, and not a new sign-in", async () => {
    const { exit } = await called(Effect.fail(new ServerUnavailable({ status: 503 } as never)));
    expect(failureOf(exit)).toMatchObject({ _tag: "TransportError", isRetryable: true });
  });
});
