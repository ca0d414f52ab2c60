import type { Effect } from "effect";
import { expectTypeOf, it } from "vitest";
import type {
  FollowError,
  Follower,
  Indexer,
  Page,
  PageLog,
  RunError,
  Sink,
} from "../src/index.ts";

it("a run needs a source, a sink and a lease, and fails with one closed union", () => {
  type Run = ReturnType<typeof Follower.run>;
  expectTypeOf<Effect.Error<Run>>().toEqualTypeOf<RunError>();
  expectTypeOf<RunError["isRetryable"]>().toEqualTypeOf<boolean>();
  expectTypeOf<FollowError["_tag"]>().toExtend<RunError["_tag"]>();
});

it("a tag of an error tells its fields apart", () => {
  type Rejected = Extract<RunError, { readonly _tag: "ChangeIdRejected" }>;
  expectTypeOf<Rejected["status"]>().toEqualTypeOf<number>();
  expectTypeOf<Extract<RunError, { readonly _tag: "Fenced" }>["epoch"]>().toEqualTypeOf<number>();
});

it("a sink commits pages and checkpoint together", () => {
  expectTypeOf<Sink.SinkService>().toHaveProperty("commit");
});

it("a row of a page is plain data, not a class of this package", () => {
  expectTypeOf<Page["rows"][number]>().toExtend<{
    readonly error: string | undefined;
  }>();
});

it("an indexer over a log fails with what the store and the indexer fail with", () => {
  expectTypeOf<Effect.Services<ReturnType<typeof Indexer.run>>>().toEqualTypeOf<PageLog.PageLog>();
});
