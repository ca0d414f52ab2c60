/**
 * Moves the checkpoint of a stream to another change id without following it.
 *
 * Use it if the service rejects the saved id for good, or to skip history. The skipped history is
 * stored as a gap in the transaction that moves the checkpoint. Stop the follower of the stream first.
 * The epoch rises, so a follower that still runs is fenced.
 */
import * as Clock from "effect/Clock";
import type * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import { type Fenced, type SinkError, StreamInUse } from "./Errors.ts";
import { Lease } from "./Lease.ts";
import {
  type Checkpoint,
  keyName,
  makeCommit,
  NO_BODY,
  type Page,
  type StreamKey,
} from "./Model.ts";
import { Sink } from "./Sink.ts";

/** Maximum wait of `jump`, which then fails with `StreamInUse`. */
export interface JumpOptions {
  /** Longest wait for a process that holds the stream. Default 1 second. */
  readonly wait?: Duration.Input;
}

/** Moves the checkpoint to `id` and returns it. Writes no page if it is already there. */
export const jump = Effect.fn("jump")(function* (
  key: StreamKey,
  id: string,
  { wait = "1 second" }: JumpOptions = {},
): Effect.fn.Return<Checkpoint, SinkError | Fenced | StreamInUse, Sink | Lease | Scope.Scope> {
  const { epoch } = yield* (yield* Lease).hold(key).pipe(
    Effect.timeoutOrElse({
      duration: wait,
      orElse: () => Effect.fail(new StreamInUse({ stream: keyName(key) })),
    }),
  );
  const sink = yield* Sink;
  const checkpoint = yield* sink.claim(key, epoch);
  if (checkpoint?.nextId === id) return checkpoint;
  const now = Math.floor(yield* Clock.currentTimeMillis);
  const { nextId: from, seq: previousSeq = 0n } = checkpoint ?? {};
  // Commits a page without a body, so that a sink needs no other way to write a gap.
  const page: Page = {
    key,
    requestedId: from,
    nextId: id,
    seq: previousSeq + 1n,
    previousSeq,
    // Keeps `receivedAt`, so that the lag keeps growing, because no page was fetched.
    receivedAt: checkpoint?.receivedAt ?? now,
    ...NO_BODY,
    rawBytes: 0,
    checksum: "",
    tries: 1,
    quarantine: [],
    gaps: from === undefined ? [] : [{ kind: "jumped", from, to: id }],
  };
  yield* sink.commit(makeCommit(page, []), epoch);
  const { checksum, nextId, receivedAt, seq } = page;
  return { nextId, seq, epoch, checksum, receivedAt };
}, Effect.scoped);
