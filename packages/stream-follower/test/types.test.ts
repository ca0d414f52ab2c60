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

it("requires a source, a sink and a lease for a run, which fails with one closed union", () => {
  type Run = ReturnType<typeof Follower.run>;
  expectTypeOf<Effect.Error<Run>>().toEqualTypeOf<RunError>();
  expectTypeOf<Effect.Services<Run>>().toEqualTypeOf<
    PageSource.PageSource | Sink.Sink | Lease.Lease
  >();
  expectTypeOf<RunError["isRetryable"]>().toEqualTypeOf<boolean>();
  expectTypeOf<FollowError["_tag"]>().toExtend<RunError["_tag"]>();
});

it("narrows the fields of an error by its tag", () => {
  type Rejected = Extract<RunError, { readonly _tag: "ChangeIdRejected" }>;
  expectTypeOf<Rejected["status"]>().toEqualTypeOf<number>();
  expectTypeOf<Extract<RunError, { readonly _tag: "Fenced" }>["epoch"]>().toEqualTypeOf<number>();
});

it("has plain data in the rows of a commit", () => {
  expectTypeOf<PageCommit["stashes"][number]>().toExtend<{ readonly id: string }>();
});

it("requires only a log for an indexer", () => {
  expectTypeOf<Effect.Services<ReturnType<typeof Indexer.run>>>().toEqualTypeOf<PageLog.PageLog>();
});
