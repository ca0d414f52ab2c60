import { Effect } from "effect";
import * as TestClock from "effect/testing/TestClock";
import { describe, expect, it } from "vitest";
import { makeCache, type CacheOptions } from "../src/cache.ts";
import { GameApi, type GameApiService } from "../src/index.ts";
import { layerOver, recording, type Answer } from "./recording.ts";

const using = (
  options: CacheOptions | undefined,
  answer: (index: number, etag: string | undefined) => Answer,
  run: (api: GameApiService, sent: ReadonlyArray<unknown>) => Effect.Effect<void, unknown>,
) => {
  const { sent, transport } = recording((request, index) =>
    answer(index, request.headers["if-none-match"]),
  );
  return Effect.flatMap(GameApi, (api) => run(api, sent)).pipe(
    Effect.provide(layerOver(transport, options && { cache: makeCache(options) })),
    Effect.provide(TestClock.layer()),
    Effect.runPromise,
  );
};

const named = (name: string) => ({ body: JSON.stringify({ uuid: "u", name }) });

describe("the cache", () => {
  it.each([
    ["ttl.bogus", { bogus: "1 second" }],
    ["ttl.profile.get", { "profile.get": "soon" }],
  ])("refuses a time to live by its name: %s", (option, ttl) => {
    expect(() => makeCache({ ttl } as CacheOptions)).toThrow(
      expect.objectContaining({ _tag: "ConfigurationInvalid", option }),
    );
  });

  it("is off by default", () =>
    using(
      undefined,
      () => ({ headers: { etag: '"1"' } }),
      Effect.fnUntraced(function* (api, sent) {
        yield* api.profile.get();
        yield* api.profile.get();
        expect(sent).toHaveLength(2);
        expect(sent[1]).not.toHaveProperty("headers.if-none-match");
      }),
    ));

  it("answers for the time to live of the operation, and asks again afterwards", () =>
    using(
      { ttl: { "profile.get": "1 minute" } },
      (index) => named(`n${index}`),
      Effect.fnUntraced(function* (api, sent) {
        expect((yield* api.profile.get()).name).toBe("n0");
        yield* TestClock.adjust("59 seconds");
        expect((yield* api.profile.get()).name).toBe("n0");
        yield* TestClock.adjust("1 second");
        expect((yield* api.profile.get()).name).toBe("n1");
        expect(sent).toHaveLength(2);
      }),
    ));

  it("revalidates by ETag, and takes a 304 for the value that it has", () =>
    using(
      {},
      (index, etag) =>
        etag === '"v1"'
          ? index < 3
            ? { status: 304, body: "" }
            : { ...named("changed"), headers: { etag: '"v2"' } }
          : { ...named("first"), headers: { etag: '"v1"' } },
      Effect.fnUntraced(function* (api, sent) {
        const names: Array<string> = [];
        for (let call = 0; call < 4; call++) names.push((yield* api.profile.get()).name);
        expect(names).toEqual(["first", "first", "first", "changed"]);
        expect(sent).toHaveLength(4);
      }),
    ));

  it("keeps users apart, errors out, and no more entries than allowed", () =>
    using(
      { ttl: { "profile.get": "1 hour", "leagues.get": "1 hour" }, maxEntries: 2 },
      (index) => (index === 0 ? { status: 404, body: "{}" } : named(`n${index}`)),
      Effect.fnUntraced(function* (api, sent) {
        yield* Effect.flip(api.profile.get());
        const other = api.as("other");
        expect((yield* api.profile.get()).name).toBe("n1");
        expect((yield* other.profile.get()).name).toBe("n2");
        expect((yield* api.profile.get()).name).toBe("n1");
        yield* api.as("third").profile.get();
        expect(sent).toHaveLength(4);
        expect((yield* other.profile.get()).name).toBe("n4");
        expect(sent).toHaveLength(5);
      }),
    ));
});
