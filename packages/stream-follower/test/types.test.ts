import type { Effect } from "effect";
import { expectTypeOf, it } from "vitest";
import type {
  FollowError,
  Follower,
  Indexer,
  Lease,
  PageCommit,
  PageLog,
  PageSource,
  RunError,
  Sink,
} from "../src/index.ts";

it("Follower.run requires a source, a sink and a lease, and fails with the closed union RunError", () => {
  type Run = ReturnType<typeof Follower.run>;
  expectTypeOf<Effect.Error<Run>>().toEqualTypeOf<RunError>();
  expectTypeOf<Effect.Services<Run>>().toEqualTypeOf<
    PageSource.PageSource | Sink.Sink | Lease.Lease
  >();
  expectTypeOf<RunError["isRetryable"]>().toEqualTypeOf<boolean>();
  expectTypeOf<FollowError["_tag"]>().toExtend<RunError["_tag"]>();
});

it("the tag of a RunError narrows its fields", () => {
  type Rejected = Extract<RunError, { readonly _tag: "ChangeIdRejected" }>;
  expectTypeOf<Rejected["status"]>().toEqualTypeOf<number>();
  expectTypeOf<Extract<RunError, { readonly _tag: "Fenced" }>["epoch"]>().toEqualTypeOf<number>();
});

it("the rows of a PageCommit are plain data", () => {
  expectTypeOf<PageCommit["stashes"][number]>().toExtend<{ readonly id: string }>();
});

it("Indexer.run requires only a page log", () => {
  expectTypeOf<Effect.Services<ReturnType<typeof Indexer.run>>>().toEqualTypeOf<PageLog.PageLog>();
});
