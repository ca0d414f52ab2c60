/** Calls that are interrupted at random points leave nothing behind. */
import type { ServerResponse } from "node:http";
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient";
import { Effect, Layer, Redacted } from "effect";
import * as FetchHttpClient from "effect/http/FetchHttpClient";
import { expect, it } from "vitest";
import { GameApi, type GameApiError, PolicyLimiter, type TokenSource } from "../src/index.ts";
import { PROFILE } from "./recording.ts";
import { userAgent } from "./sandbox.ts";
import { useServer } from "./server.ts";

const PERMITS = 8;

let seed = 20_261_129;
const random = () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};

let unfinished = 0;
/** Answers in two pieces, each after up to 10 ms; every fifth answer is a 503. */
const answerSlowly = (response: ServerResponse) => {
  unfinished++;
  response.on("close", () => unfinished--);
  setTimeout(() => {
    response.writeHead(random() < 0.2 ? 503 : 200).write(PROFILE.slice(0, 5));
    setTimeout(() => response.end(PROFILE.slice(5)), random() * 10);
  }, random() * 10);
};
const server = useServer(answerSlowly);

it.each([
  ["undici", NodeHttpClient.layerUndici],
  ["fetch", FetchHttpClient.layer],
])(
  "a client frees the permits and requests of 500 calls interrupted at random over %s",
  async (_, http) => {
    const token = { token: Redacted.make("t"), scopes: undefined };
    const credentials: TokenSource = { current: Effect.as(Effect.sleep(1), token) };
    const options = { baseUrl: server.baseUrl, userAgent, credentials, retry: { base: 1 } };
    const layer = GameApi.layerWithLimiter(options).pipe(
      Layer.provideMerge(
        PolicyLimiter.layerMemory({ maxInFlight: PERMITS, concurrencyWithoutHeaders: PERMITS }),
      ),
      Layer.provide(http),
    );
    let interrupted = 0;
    const program = Effect.gen(function* () {
      const api = yield* GameApi;
      const limiter = yield* PolicyLimiter;
      const raw = Effect.scoped(Effect.andThen(api.publicStashTabs.raw(), Effect.sleep(5)));
      const interruptedCall = Effect.suspend(() => {
        const call: Effect.Effect<unknown, GameApiError> = random() < 0.3 ? raw : api.profile.get();
        return Effect.timeoutOption(Effect.exit(call), random() * 40);
      });
      yield* api.profile.get();
      while (interrupted < 500) {
        const calls = Array.from({ length: 20 }, () => interruptedCall);
        const ends = yield* Effect.all(calls, { concurrency: "unbounded" });
        interrupted += ends.filter(({ _tag }) => _tag === "None").length;
      }
      expect(yield* limiter.waiting).toBe(0);
      yield* Effect.promise(async () => {
        await expect.poll(() => unfinished).toBe(0);
      });
      // The server answers once as many requests were in flight as there are permits.
      const held = new Set<ServerResponse>();
      let isReached = false;
      server.answer = (response) => {
        held.add(response);
        // A request that was interrupted before may arrive only now, and count as one of them.
        response.on("close", () => held.delete(response));
        isReached ||= held.size === PERMITS;
        if (isReached) for (const one of held) one.end(PROFILE);
      };
      const last = Array.from({ length: PERMITS }, () => api.profile.get());
      expect(yield* Effect.all(last, { concurrency: "unbounded" })).toHaveLength(PERMITS);
    });
    await Effect.runPromise(Effect.provide(program, layer));
    // A leak would leave hundreds. Beside those in use, a pool keeps some that were interrupted late.
    await expect.poll(() => server.open.size, { timeout: 20_000 }).toBeLessThanOrEqual(4 * PERMITS);
  },
  300_000,
);
