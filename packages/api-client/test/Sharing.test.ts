import { Effect, Fiber } from "effect";
import * as TestClock from "effect/testing/TestClock";
import { describe, expect, it } from "vitest";
import { GameApi } from "../src/index.ts";
import type { GameApiOptions, GameApiService, Transport } from "../src/index.ts";
import { layerOver, PROFILE, recording, response } from "./recording.ts";

/** A service that holds every request until it is released. */
const held = (
  run: (
    api: GameApiService,
    service: { readonly urls: Array<string>; readonly release: Effect.Effect<unknown> },
  ) => Effect.Effect<void, unknown>,
  options: Partial<GameApiOptions> = {},
) =>
  Effect.gen(function* () {
    const gate = Promise.withResolvers<void>();
    const urls: Array<string> = [];
    const transport: Transport = ({ url }, settle) => {
      urls.push(url);
      void gate.promise.then(() => settle(response(200, PROFILE)));
      return () => undefined;
    };
    yield* Effect.flatMap(GameApi, (api) =>
      run(api, { urls, release: Effect.sync(() => gate.resolve()) }),
    ).pipe(Effect.provide(layerOver(transport, options)));
  }).pipe(Effect.runPromise);

const settle = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)));

describe("identical GETs in flight", () => {
  it("take one request, and all callers get its value", () =>
    held((api, { release, urls }) =>
      Effect.gen(function* () {
        const statuses: Array<number> = [];
        const onResponse = ({ status }: { readonly status: number }) => {
          statuses.push(status);
        };
        const calls = yield* Effect.forEach([1, 2, 3], () =>
          Effect.forkChild(api.profile.get({ onResponse })),
        );
        yield* settle;
        yield* release;
        const values = yield* Effect.forEach(calls, Fiber.join);
        expect(values.map(({ uuid }) => uuid)).toEqual(["u", "u", "u"]);
        expect(urls).toHaveLength(1);
        expect(statuses).toEqual([200, 200, 200]);
        yield* api.profile.get();
        expect(urls).toHaveLength(2);
      }),
    ));

  it("go on when the first caller is interrupted", () =>
    held((api, { release, urls }) =>
      Effect.gen(function* () {
        const first = yield* Effect.forkChild(api.profile.get());
        const second = yield* Effect.forkChild(api.profile.get());
        yield* settle;
        yield* Fiber.interrupt(first);
        yield* settle;
        yield* release;
        expect((yield* Fiber.join(second)).uuid).toBe("u");
        expect(urls).toHaveLength(2);
      }),
    ));

  it("end by their own bounds, and not by those of the first caller", async () => {
    const { sent, transport } = recording((_, index) =>
      index === 0 ? { status: 503, headers: { "retry-after": "1" } } : {},
    );
    const waiting: Array<() => void> = [];
    const later: Transport = (request, answer) => {
      waiting.push(() => void transport(request, answer));
      return () => undefined;
    };
    await Effect.gen(function* () {
      const api = yield* GameApi;
      const [first, ...others] = yield* Effect.forEach([200, undefined, undefined], (total) =>
        Effect.forkChild(Effect.result(api.profile.get({ totalTimeout: total }))),
      );
      yield* TestClock.adjust(1);
      expect(waiting).toHaveLength(1);
      waiting[0]!();
      yield* TestClock.adjust(1);
      expect(yield* Fiber.join(first!)).toMatchObject({ failure: { status: 503, attempts: 1 } });
      yield* TestClock.adjust("2 seconds");
      for (const send of waiting.slice(1)) send();
      for (const other of others)
        expect(yield* Fiber.join(other)).toMatchObject({ success: { uuid: "u" } });
      // Those who go on share their retry as well.
      expect(sent).toHaveLength(2);
    }).pipe(
      Effect.provide(layerOver(later, { retry: { times: 1 } })),
      Effect.provide(TestClock.layer()),
      Effect.runPromise,
    );
  });
});
