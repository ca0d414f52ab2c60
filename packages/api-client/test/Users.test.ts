import { Effect, Fiber, Layer, Redacted } from "effect";
import * as TestClock from "effect/testing/TestClock";
import { describe, expect, it } from "vitest";
import { GameApi, PolicyLimiter } from "../src/index.ts";
import type { LimiterRequest } from "@game-data/rate-limit";
import type { Credentials } from "../src/index.ts";
import { apiOver, layerOver, recording } from "./recording.ts";
import { userAgent } from "./sandbox.ts";

describe("many users on one client", () => {
  it("each user of a client has a separate rate-limit budget in the shared limiter [NS-12]", async () => {
    const users: Array<string> = [];
    const { http } = recording(({ headers }) => {
      const user = headers["authorization"]!;
      users.push(user);
      const count = users.filter((each) => each === user).length;
      return {
        headers: {
          "x-rate-limit-policy": "profile",
          "x-rate-limit-rules": "Account",
          "x-rate-limit-account": "4:10:60",
          "x-rate-limit-account-state": `${count}:10:0`,
        },
      };
    });
    await Effect.gen(function* () {
      const api = yield* GameApi;
      const [a, b] = ["a", "b"].map((name) => api.as(`token-${name}`, { identity: name }));
      const calls = Effect.replicateEffect(a!.profile.get(), 5, { discard: true });
      const spending = yield* Effect.forkChild(calls);
      yield* TestClock.adjust("5 seconds");
      // The budget of `a` is spent, and `b` does not wait for it.
      const sent = users.length;
      expect(sent).toBeLessThan(5);
      yield* b!.profile.get();
      expect(users.slice(sent)).toEqual(["Bearer token-b"]);
      yield* TestClock.adjust("1 minute");
      yield* Fiber.join(spending);
      expect(users.filter((user) => user === "Bearer token-a")).toHaveLength(5);
    }).pipe(Effect.provide(layerOver(http)), Effect.provide(TestClock.layer()), Effect.runPromise);
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

  it("the limiter keeps the two games apart, and counts the consoles' requests with pc's", async () => {
    const realms = ["pc", "console_a", "console_b", "game2"] as const;
    const requests = await limitedRequests(({ characters }) =>
      Effect.forEach(realms, (realm) => characters.list({ realm })),
    );
    const [pc, first, second, game2] = requests.map(({ route }) => route);
    expect([first, second]).toEqual([pc, pc]);
    expect(game2).not.toBe(pc);
  });

  it("`as` takes the user's identity from the options or the token source, or makes an identity", async () => {
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

  it("`as` keeps the words, hooks and options of the client for each user", async () => {
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
