import { NotSignedIn, ServerUnavailable, type Session, type TokenSet } from "@game-data/oauth-pkce";
import { Deferred, Effect, Exit, Fiber, Layer, Redacted } from "effect";
import * as HttpClient from "effect/http/HttpClient";
import * as HttpClientResponse from "effect/http/HttpClientResponse";
import { TestClock } from "effect/testing";
import { describe, expect, it } from "vitest";
import { GameApi, LimiterStore, makeMemoryStore, PolicyLimiter } from "../src/index.ts";
import type { GameApiOptions, LimiterStoreService } from "../src/index.ts";
import { userAgent } from "./sandbox.ts";

const limits = {
  "x-rate-limit-policy": "policy",
  "x-rate-limit-rules": "account",
  "x-rate-limit-account": "10:10:60",
  "x-rate-limit-account-state": "1:10:0",
};

describe("the limiter's books", () => {
  it("get back a permit whose taker was interrupted while the store still wrote", async () => {
    const memory = makeMemoryStore();
    const store: LimiterStoreService = {
      shared: true,
      // Written at once, told late: what a store on the network looks like.
      modify: (key, change) =>
        Effect.flatMap(memory.modify(key, change), (result) =>
          Effect.as(Effect.sleep("1 second"), result),
        ),
    };
    const inFlight = Effect.gen(function* () {
      const limiter = yield* PolicyLimiter;
      let sent = 0;
      const call = limiter.run(
        { route: "GET /profile" },
        () => Effect.sync(() => sent++),
        () => ({ status: 200, headers: limits }),
      );
      const caller = yield* Effect.forkChild(call);
      // The route's policy, the house, and then the permit.
      yield* TestClock.adjust("2500 millis");
      const taken = yield* Effect.forkChild(limiter.snapshot("GET /profile"));
      yield* TestClock.adjust("10 millis");
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(caller));
      yield* TestClock.adjust("30 seconds");
      yield* Fiber.join(interrupting);
      yield* Fiber.join(taken);
      const after = yield* Effect.forkChild(limiter.snapshot("GET /profile"));
      yield* TestClock.adjust("10 seconds");
      return { sent, left: (yield* Fiber.join(after)).inFlight };
    });
    const counts = await inFlight.pipe(
      Effect.provide(PolicyLimiter.layer().pipe(Layer.provide(Layer.succeed(LimiterStore, store)))),
      Effect.provide(TestClock.layer()),
      Effect.scoped,
      Effect.runPromise,
    );
    expect(counts).toEqual({ sent: 0, left: 0 });
  });

  it("once a route's policy is known, let all go that waited to learn it", async () => {
    const flying = Effect.gen(function* () {
      const limiter = yield* PolicyLimiter;
      const answered = yield* Deferred.make<void>();
      let running = 0;
      const call = (until: Effect.Effect<void>) =>
        limiter.run(
          { route: "GET /profile" },
          () =>
            Effect.andThen(
              Effect.sync(() => running++),
              until,
            ),
          () => ({ status: 200, headers: limits }),
        );
      yield* Effect.forkChild(call(Deferred.await(answered)));
      yield* Effect.forEach([1, 2, 3, 4], () => Effect.forkChild(call(Effect.never)));
      yield* TestClock.adjust("1 second");
      const before = running;
      yield* Deferred.succeed(answered, undefined);
      yield* TestClock.adjust("1 millis");
      return { before, after: running };
    });
    const counts = await flying.pipe(
      Effect.provide(PolicyLimiter.layer().pipe(Layer.provide(LimiterStore.layerMemory))),
      Effect.provide(TestClock.layer()),
      Effect.scoped,
      Effect.runPromise,
    );
    expect(counts).toEqual({ before: 1, after: 5 });
  });

  it("of a route whose policy was not known are closed once it is", async () => {
    const store = makeMemoryStore();
    const kept = Effect.gen(function* () {
      const limiter = yield* PolicyLimiter;
      yield* limiter.run(
        { route: "GET /profile" },
        () => Effect.void,
        () => ({ status: 200, headers: limits }),
      );
      const isKept = (policy: string) =>
        store.modify<unknown, boolean>(`default/policy/${policy}`, (value) => [!!value, value]);
      return [yield* isKept("?GET /profile"), yield* isKept("policy")];
    });
    const layer = PolicyLimiter.layer().pipe(Layer.provide(Layer.succeed(LimiterStore, store)));
    expect(await Effect.runPromise(Effect.provide(kept, layer))).toEqual([false, true]);
  });

  it("in memory, forget what a change makes nothing of", async () => {
    const store = makeMemoryStore();
    const seen = await Effect.runPromise(
      Effect.gen(function* () {
        yield* store.modify<number, void>("key", () => [undefined, 1]);
        yield* store.modify<number, void>("key", () => [undefined, undefined]);
        return yield* store.modify<number, number | undefined>("key", (value) => [value, value]);
      }),
    );
    expect(seen).toBeUndefined();
  });
});

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
      "profile.get: there is no access token: Not Signed In: sign in",
    );
  });

  it("whose server cannot answer now is worth another try, and not a new sign-in", async () => {
    const failing = new ServerUnavailable({ status: 503 } as never);
    const exit = await use((api) => Effect.flip(api.profile.get()), answering(profile), {
      credentials: session(Effect.fail(failing)),
    });
    expect(Exit.isSuccess(exit) && exit.value).toMatchObject({
      _tag: "Transport",
      isRetryable: true,
    });
  });
});
