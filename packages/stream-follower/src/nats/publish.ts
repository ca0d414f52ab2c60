/**
 * Copies the page log of a stream into a JetStream stream, where consumers of any language read it.
 *
 * The stream is only a copy of the log, so the broker may lose messages. Each message states the
 * sequence of the message before it, and the broker refuses any other message. So several
 * publishers may run at once, and each page is in the stream once and in order. A publisher that
 * starts, or whose message was refused, continues after the last message of the stream.
 */
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import * as Data from "effect/Data";
import * as Effect from "effect/Effect";
import * as Schedule from "effect/Schedule";
import * as Stream from "effect/Stream";
import * as Changes from "../Changes.ts";
import * as Metrics from "../Metrics.ts";
import type { LoggedPage, PageLog } from "../PageLog.ts";
import { encodeHeaders, type LogCopy, type PageMessage, readMessage } from "./message.ts";
import { errorCode, request } from "./request.ts";

/** Options of a copy. A missing stream is created, with its name in lower case as its subject. */
export interface PublishOptions extends LogCopy {
  /** Replicas of a stream that `publish` creates. Default 1. */
  readonly replicas?: number;
  /** Largest size of a stream that `publish` creates, in bytes. Default 20 GB. */
  readonly maxBytes?: number;
}

/** Bytes of one message. A larger page is sent in parts, because brokers allow 1 MiB by default. */
const PART_BYTES = 900_000;

/** Another publisher has added a message, or the broker's acknowledgement was lost. */
class OutOfTurn extends Data.TaggedError("OutOfTurn") {}

/** Copies a log into its stream, beginning after the last message of the stream. */
export const publish = Effect.fn("nats.publish")(function* (
  options: PublishOptions,
): Effect.fn.Return<void, Changes.ChangesError, PageLog> {
  const { key, nats, stream, until = "forever" } = options;
  const js = jetstream(nats);
  const copy = Effect.gen(function* () {
    const { last, sequence: end } = yield* request(key, "open", () => endOf(options));
    let sequence = end;
    const send = Effect.fnUntraced(function* (page: LoggedPage) {
      const parts = Math.max(1, Math.ceil(page.body.length / PART_BYTES));
      // An earlier publisher may have sent some parts of this page.
      const first = page.seq === last?.page.seq ? last.part + 1 : 1;
      for (let part = first; part <= parts; part += 1) {
        const body = page.body.subarray((part - 1) * PART_BYTES, part * PART_BYTES);
        const headers = encodeHeaders({ page, part, parts });
        const message = { headers, expect: { lastSequence: sequence } };
        const sent = yield* request(key, "publish", () =>
          js.publish(stream.toLowerCase(), body, message).catch(ignoreWrongSequence),
        );
        if (sent === undefined) return yield* new OutOfTurn();
        sequence = sent.seq;
        yield* Metrics.count("published", key, 1);
      }
    });
    yield* Stream.runForEach(
      Changes.subscribePages({ key, after: continuation(last), until }),
      send,
    );
  });
  yield* copy.pipe(
    // The pause lets a publisher that is ahead continue undisturbed.
    Effect.retry({ while: isOutOfTurn, schedule: Schedule.spaced("1 second") }),
    Effect.catchTag("OutOfTurn", Effect.die),
  );
});

const isOutOfTurn = ({ _tag }: Changes.ChangesError | OutOfTurn) => _tag === "OutOfTurn";

/** Returns the position to continue after. A page whose last part is missing is read again. */
const continuation = (last: PageMessage | undefined): Changes.SubscribeOptions["after"] => {
  if (last === undefined) return undefined;
  const { nextId, seq } = last.page;
  return last.part === last.parts ? { version: seq, nextId } : seq - 1n;
};

/** Makes the stream if it does not exist. Returns its last message and sequence. */
const endOf = async ({ key, maxBytes = 20e9, nats, replicas = 1, stream }: PublishOptions) => {
  const { streams } = await jetstreamManager(nats);
  const { state } = await streams.info(stream).catch((cause: unknown) => {
    if (errorCode(cause) !== STREAM_NOT_FOUND) throw cause;
    const subjects = [stream.toLowerCase()];
    return streams.add({ name: stream, subjects, num_replicas: replicas, max_bytes: maxBytes });
  });
  const sequence = state.last_seq;
  const stored = state.messages === 0 ? null : await streams.getMessage(stream, { seq: sequence });
  return { sequence, last: stored === null ? undefined : readMessage(key, stored.header) };
};

/** Returns `undefined` if the broker expects another message, and rethrows other errors. */
const ignoreWrongSequence = (cause: unknown): undefined => {
  if (!WRONG_SEQUENCE.has(errorCode(cause) ?? 0)) throw cause;
};

const STREAM_NOT_FOUND = 10_059;
const WRONG_SEQUENCE = new Set([10_071, 10_164]);
