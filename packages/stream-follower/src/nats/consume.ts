/**
 * Reads a log that `publish` copied into JetStream, as the same batches that `Changes.subscribe`
 * reads from the log itself.
 *
 * A consumer stores `version` in the transaction of its rows, and passes the stored version as
 * `after` when it starts again. Nothing is acknowledged to the broker.
 */
import { DeliverPolicy, jetstream, jetstreamManager, type JsMsg } from "@nats-io/jetstream";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import * as Changes from "../Changes.ts";
import { HistoryExpired, type SinkError } from "../Errors.ts";
import { keyName, type StreamKey } from "../Model.ts";
import type { LoggedPage } from "../PageLog.ts";
import { type LogCopy, readMessage } from "./message.ts";
import { brokerError, request } from "./request.ts";

export interface ConsumeOptions extends LogCopy {
  /** The version to continue after, as the consumer stored it. Default: from the oldest page. */
  readonly after?: bigint | undefined;
}

/** Limits the messages that the broker sends ahead, and so the memory that they take. */
const MAX_MESSAGES = 16;

/** Emits the changes after a version. Fails with `HistoryExpired` if the broker dropped a page. */
export const consume = (
  options: ConsumeOptions,
): Stream.Stream<Changes.ChangeBatch, SinkError | HistoryExpired> => {
  const { key, nats, stream, until = "forever" } = options;
  const messages = Effect.gen(function* () {
    const { first, last } = yield* Effect.flatten(request(key, "open", () => unread(options)));
    if (until === "caughtUp" && first > last) return Stream.empty;
    const from = { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: first };
    const opened = yield* Effect.acquireRelease(
      request(key, "open", async () => {
        const consumer = await jetstream(nats).consumers.get(stream, from);
        return consumer.consume({ max_messages: MAX_MESSAGES });
      }),
      (running) => Effect.ignore(Effect.tryPromise(() => running.close())),
    );
    const all = Stream.fromAsyncIterable(opened, (cause) => brokerError("read", cause));
    return until === "caughtUp" ? Stream.takeUntil(all, ({ info }) => info.pending === 0) : all;
  });
  return Stream.unwrap(messages).pipe(
    Stream.mapAccum((): ReadonlyArray<JsMsg> => [], joinParts(key)),
    Stream.mapEffect((page) => Changes.readBatch(page)),
  );
};

/** Collects the parts of a page, and emits the page with its last part. */
const joinParts = (key: StreamKey) => (before: ReadonlyArray<JsMsg>, message: JsMsg) => {
  const { page, part, parts } = readMessage(key, message.headers!);
  const collected = part === 1 ? [message] : [...before, message];
  if (part < parts) return [collected, []] as const;
  const body = Buffer.concat(collected.map(({ data }) => data));
  return [[], [{ ...page, body }]] as readonly [ReadonlyArray<JsMsg>, ReadonlyArray<LoggedPage>];
};

/** Finds the first message after a version by bisection, because sequences are not versions. */
const unread = async ({ after, key, nats, stream }: ConsumeOptions) => {
  const { streams } = await jetstreamManager(nats);
  const { first_seq: oldest, last_seq: last } = (await streams.info(stream)).state;
  if (after === undefined || last < oldest) return Effect.succeed({ first: oldest, last });
  const versionAt = async (seq: number) => {
    const stored = await streams.getMessage(stream, { seq });
    return stored === null ? 0n : readMessage(key, stored.header).page.seq;
  };
  let [low, high] = [oldest, last + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((await versionAt(middle)) > after) high = middle;
    else low = middle + 1;
  }
  if (low > oldest || after === 0n) return Effect.succeed({ first: low, last });
  const first = await versionAt(oldest);
  return Effect.fail(new HistoryExpired({ stream: keyName(key), position: after, first }));
};
