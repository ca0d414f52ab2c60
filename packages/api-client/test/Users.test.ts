import { Effect, Layer, Redacted } from "effect";
import * as TestClock from "effect/testing/TestClock";
import { describe, expect, it } from "vitest";
import { GameApi, PolicyLimiter } from "../src/index.ts";
import type { LimiterRequest } from "@game-data/rate-limit";
import type { Credentials } from "../src/index.ts";
import { apiOver, layerOver, recording, type Answer, type SentRequest } from "./recording.ts";
import { userAgent } from "./sandbox.ts";

/** A service with three requests in ten seconds for each account. */
const perAccount = () => {
  const times = new Map<string, Array<number>>();
  let violations = 0;
  const answer = (request: SentRequest, now: number): Answer => {
    const user = request.headers["authorization"] ?? "";
    const hits = (times.get(user) ?? []).filter((time) => time > now - 10_000);
    const headers = {
      "x-rate-limit-policy": "profile",
      "x-rate-limit-rules": "Account",
      "x-rate-limit-account": "3:10:60",
      "x-rate-limit-account-state": `${Math.min(3, hits.length + 1)}:10:0`,
    };
    if (hits.length >= 3) {
      violations++;
      return { status: 429, headers: { ...headers, "retry-after": "60" }, body: "{}" };
    }
    times.set(user, [...hits, now]);
    return { headers };
  };
  return { answer, times, violations: () => violations };
};

/** Lets time pass in small steps, because each wait of the limiter begins after another one ended. */
const passSeconds = (seconds: number) =>
  Effect.forEach(Array.from({ length: seconds * 10 }), () => TestClock.adjust("100 millis"), {
    discard: true,
  });

describe("many users on one client", () => {
  it("sends the calls of each user with its own token and budget under one limiter [NS-12]", async () => {
    const service = perAccount();
    const sentAt: Array<readonly [user: string, at: number]> = [];
    await Effect.gen(function* () {
      const clock = yield* Effect.clockWith(Effect.succeed);
      const { http } = recording((request) => {
        const now = clock.currentTimeMillisUnsafe();
        sentAt.push([String(request.headers["authorization"]), now]);
        return service.answer(request, now);
      });
      yield* Effect.gen(function* () {
        const api = yield* GameApi;
        const users = ["a", "b", "c"].map((name) => api.as(`token-${name}`, { identity: name }));
        // One call first, so that the limits are known.
        yield* users[0]!.profile.get();
        yield* Effect.forkChild(
          Effect.forEach(
            users,
            (user) => Effect.forEach([1, 2, 3], () => user.profile.get(), { discard: true }),
            { concurrency: "unbounded", discard: true },
          ),
        );
        yield* passSeconds(9);
        const early = new Map<string, number>();
        for (const [user] of sentAt) early.set(user, (early.get(user) ?? 0) + 1);
        // The budget of `a` is spent, and that of the others is not: none waits for another.
        expect(early.get("Bearer token-b")).toBeGreaterThanOrEqual(2);
        expect(early.get("Bearer token-c")).toBeGreaterThanOrEqual(2);
        yield* passSeconds(120);
        expect(sentAt).toHaveLength(10);
        expect(service.violations()).toBe(0);
      }).pipe(Effect.provide(layerOver(http)));
    }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise);
  });

  /** Runs calls over a limiter that permits each; returns the requests that it was given. */
  const limitedRequests = async (
    use: (api: GameApi["Service"]) => Effect.Effect<unknown, unknown>,
  ) => {
    const requests: Array<LimiterRequest> = [];
    const limiter = Layer.succeed(PolicyLimiter, {
      run: (request, send) => {
        requests.push(request);
        return send({ waitedMillis: 0, policy: undefined });
      },
      forecast: () => Effect.die("unused"),
      limits: () => Effect.die("unused"),
      waiting: Effect.succeed(0),
    });
    const { http } = recording(() => ({ body: '{"uuid":"u","name":"n","characters":[]}' }));
    const layer = GameApi.layerWithLimiter({ baseUrl: "https://api.example", userAgent }).pipe(
      Layer.provide([http, limiter]),
    );
    await Effect.flatMap(GameApi, use).pipe(Effect.provide(layer), Effect.runPromise);
    return requests;
  };

  it("keeps the limits of the two games apart, and those of the consoles with pc's", async () => {
    const realms = ["pc", "console_a", "console_b", "game2"] as const;
    const requests = await limitedRequests(({ characters }) =>
      Effect.forEach(realms, (realm) => characters.list({ realm })),
    );
    const [pc, first, second, game2] = requests.map(({ route }) => route);
    expect([first, second]).toEqual([pc, pc]);
    expect(game2).not.toBe(pc);
  });

  it("takes the identity of a user from the options or the source, or makes one", async () => {
    const source = (identity?: string): Credentials => ({
      identity,
      current: Effect.succeed({ token: Redacted.make("t"), scopes: undefined }),
    });
    const requests = await limitedRequests(
      Effect.fnUntraced(function* (api) {
        yield* api.as(source("account-1")).profile.get();
        yield* api.as(source("account-1"), { identity: "mine" }).profile.get();
        for (const user of [source(), source(), "token", "token"])
          yield* api.as(user).profile.get();
      }),
    );
    const identities = requests.map(({ identity }) => identity);
    const [ofSource, ofOptions, one, other, token, sameToken] = identities;
    expect([ofSource, ofOptions]).toEqual(["account-1", "mine"]);
    expect(one).not.toBe(other);
    expect(token).toBe(sameToken);
    expect(token).not.toContain("token-token");
  });

  it("applies the words, hooks and options of the client to all users", async () => {
    const { http, sent } = recording(() => ({ body: '{"characters":[]}' }));
    const statuses: Array<number> = [];
    const api = apiOver(http, {
      words: { game2: "second" },
      onResponse: ({ status }) => statuses.push(status),
    });
    await api.as("b").characters.list({ realm: "game2" });
    const headers = { authorization: "Bearer b" };
    expect(sent).toMatchObject([{ url: "https://api.example/character/second", headers }]);
    expect(statuses).toEqual([200]);
  });
});
