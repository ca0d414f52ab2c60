import type { Effect } from "effect";
import { expectTypeOf, it } from "vitest";
import type { Follower, Sink } from "../src/index.ts";

it("a run needs a source and a sink, and fails with one closed union", () => {
  type Run = ReturnType<typeof Follower.run>;
  expectTypeOf<Run>().toExtend<
    | Effect.Effect<unknown, { readonly _tag: string }, never>
    | Effect.Effect<unknown, { readonly _tag: string }, unknown>
  >();
  expectTypeOf<Effect.Error<Run>>().toHaveProperty("isRetryable");
});

it("a sink commits pages and checkpoint together", () => {
  expectTypeOf<Sink.SinkService>().toHaveProperty("commit");
});
