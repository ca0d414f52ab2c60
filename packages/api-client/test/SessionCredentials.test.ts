import { NotSignedIn, ServerUnavailable, type Session, type TokenSet } from "@game-data/oauth-pkce";
import { Effect, Exit, Layer, Redacted } from "effect";
import * as HttpClient from "effect/http/HttpClient";
import * as HttpClientResponse from "effect/http/HttpClientResponse";
import { describe, expect, it } from "vitest";
import { GameApi } from "../src/index.ts";
import type { GameApiOptions } from "../src/index.ts";
import { userAgent } from "./sandbox.ts";

const answering = (answer: (signal: AbortSignal, authorization: string | undefined) => Response) =>
  Layer.succeed(
    HttpClient.HttpClient,
    HttpClient.make((request, _url, signal) =>
      Effect.sync(() =>
        HttpClientResponse.fromWeb(request, answer(signal, request.headers["authorization"])),
      ),
    ),
  );

const profile = () => Response.json({ uuid: "u", name: "n" });

const use = <A, E>(
  call: (api: GameApi["Service"]) => Effect.Effect<A, E>,
  http: Layer.Layer<HttpClient.HttpClient>,
  options: Partial<GameApiOptions> = {},
) =>
  Effect.flatMap(GameApi, call).pipe(
    Effect.provide(
      GameApi.layer({ baseUrl: "https://api.example", userAgent, ...options }).pipe(
        Layer.provide(http),
      ),
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

  it("whose server did not tell its scopes may try every endpoint", async () => {
    const exit = await use((api) => api.profile.get(), answering(profile), {
      credentials: session(Effect.succeed(tokens([]))),
    });
    expect(Exit.isSuccess(exit)).toBe(true);
  });

  it("with other scopes is refused before anything is sent", async () => {
    let sent = 0;
    const http = answering(() => {
      sent++;
      return profile();
    });
    const exit = await use((api) => Effect.flip(api.profile.get()), http, {
      credentials: session(Effect.succeed(tokens(["account:characters"]))),
    });
    expect(Exit.isSuccess(exit) && exit.value).toMatchObject({
      _tag: "Forbidden",
      scopesMissing: ["account:profile"],
    });
    expect(sent).toBe(0);
  });

  it("whose user signed out says so once, and in words", async () => {
    const exit = await use((api) => Effect.flip(api.profile.get()), answering(profile), {
      credentials: session(new NotSignedIn()),
    });
    expect(Exit.isSuccess(exit) && exit.value.message).toBe(
      "profile.get: there is no access token: Nobody is signed in. Sign in.",
    );
  });

  it("whose server cannot answer now is worth another try, and not a new sign-in", async () => {
    const failing = new ServerUnavailable({ status: 503 } as never);
    const exit = await use((api) => Effect.flip(api.profile.get()), answering(profile), {
      credentials: session(Effect.fail(failing)),
    });
    expect(Exit.isSuccess(exit) && exit.value).toMatchObject({
      _tag: "TransportError",
      isRetryable: true,
    });
  });
});
