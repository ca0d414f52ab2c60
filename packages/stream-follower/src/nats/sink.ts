/**
 * A page log in NATS JetStream: one message per page, and the last message is checkpoint and fence.
 *
 * Every publish expects the sequence of the message before it, so one of two writers is refused. A
 * lost acknowledgement is settled by reading the last message again: each publish carries an id of
 * its own. A batch is durable page by page; each page carries its checkpoint, so that is no hole.
 * Needs nats-server 2.10.27 or newer.
 */
import type { PubAck } from "@nats-io/jetstream";
import * as Effect from "effect/Effect";
import type * as Layer from "effect/Layer";
import type * as Scope from "effect/Scope";
import { Fenced, type SinkError } from "../Errors.ts";
import * as Metrics from "../Metrics.ts";
import { type Batch, type Checkpoint, keyName, type PageCommit, type StreamKey } from "../Model.ts";
import type { PageLog, PageLogService } from "../PageLog.ts";
import type { Sink, SinkService, Store, StoreService, StoreStatus } from "../Sink.ts";
import {
  type Broker,
  connect,
  ensureStream,
  infoOf,
  type NatsOptions,
  partsOf,
  promise,
  rejectedOf,
  subjectOf,
} from "./connection.ts";
import { checkRetention } from "../core/checkOptions.ts";
import { storeLayer } from "../core/storeLayer.ts";
import { logOf } from "./log.ts";
import {
  claimHeaders,
  encodePage,
  headOf,
  type LogHead,
  type Message,
  readHead,
  withParts,
} from "./page.ts";
import { type SequenceRange, withRecords } from "./records.ts";
import { storeOf } from "./store.ts";
import { sinkError } from "../core/attempt.ts";

export type { NatsOptions } from "./connection.ts";

/** Everything that a broker offers. */
export type NatsService = SinkService & StoreService & PageLogService;

/** Connects. */
export const make = (options: NatsOptions): Effect.Effect<NatsService, SinkError, Scope.Scope> =>
  Effect.gen(function* () {
    checkRetention(options);
    const broker = yield* connect(options);
    const log = yield* logOf(broker);
    return { ...sinkOf(broker), ...log, ...storeOf(broker) };
  });

/** Sink, log and store of a broker. */
export const layer = (options: NatsOptions): Layer.Layer<Sink | Store | PageLog, SinkError> =>
  storeLayer(make(options));

/** Reads the status of the streams of a broker. Creates nothing. */
export const readStatus = (
  options: Pick<NatsOptions, "url">,
): Effect.Effect<ReadonlyArray<StoreStatus>, SinkError> =>
  Effect.scoped(Effect.flatMap(connect(options), (broker) => storeOf(broker).status));

/** Room for headers beside a page or a part. */
const HEADER_ROOM = 16_384;
const PART_BYTES = 500_000;

const NOTHING: LogHead = { at: 0, epoch: 0, attempt: "", checkpoint: undefined };

/** State of a subject, as far as this process knows it. */
interface Known {
  readonly key: StreamKey;
  head: LogHead;
  /** The last sequence of the stream, parts included: what the next publish expects. */
  last: number;
  /** Its own publishes of the batch that is being written, by attempt. */
  readonly mine: Set<string>;
  /**
   * Memory of the last body, for the next one. Absent until the broker acknowledges the body: the
   * connection may still have to send it.
   */
  memory?: ArrayBuffer | undefined;
}

const sinkOf = (broker: Broker): SinkService => {
  const writer = new LogWriter(broker);
  return {
    level: "envelope",
    claim: (key, epoch) => writer.claim(key, epoch),
    commit: (batch, epoch) => writer.commit(batch, epoch),
  };
};

/** Writes the subjects of a broker, and knows where each stands. */
class LogWriter {
  private readonly known = new Map<string, Known>();
  private readonly broker: Broker;
  constructor(broker: Broker) {
    this.broker = broker;
  }

  readonly claim = Effect.fnUntraced(
    { self: this },
    function* (
      this: LogWriter,
      key: StreamKey,
      epoch: number,
    ): Effect.fn.Return<Checkpoint | undefined, SinkError | Fenced> {
      const info = yield* ensureStream(this.broker, key);
      const before = this.known.get(keyName(key));
      const last = info.state.last_seq;
      const state: Known = {
        key,
        head: yield* this.readHead(key),
        last,
        mine: before?.mine ?? new Set(),
      };
      this.known.set(keyName(key), state);
      const { head } = state;
      if (head.epoch > epoch) return yield* newerEpoch(epoch, head.epoch);
      // A log that has lost its last message would be followed from the beginning again.
      if (head.at === 0 && (info.state.last_seq > 0 || (before?.head.at ?? 0) > 0)) {
        const text = "the stream is empty but has held pages: its checkpoint is lost";
        return yield* sinkError("claim", "corrupt", text);
      }
      if (head.at === 0 || head.epoch < epoch) {
        yield* this.publish(state, epoch, (attempt) => ({
          headers: claimHeaders({ epoch, attempt, checkpoint: head.checkpoint }),
          body: new Uint8Array(),
        }));
      }
      return state.head.checkpoint === undefined ? undefined : { ...state.head.checkpoint, epoch };
    },
  );

  readonly commit = Effect.fnUntraced(
    { self: this },
    function* (
      this: LogWriter,
      batch: Batch,
      epoch: number,
    ): Effect.fn.Return<void, SinkError | Fenced> {
      const { key } = batch;
      const state = this.known.get(keyName(key)) ?? {
        key,
        last: yield* this.readLast(key),
        head: yield* this.readHead(key),
        mine: new Set(),
      };
      this.known.set(keyName(key), state);
      if (state.head.epoch > epoch) return yield* newerEpoch(epoch, state.head.epoch);
      const begin = firstUnwritten(batch, state);
      if (begin === undefined) {
        const detail = `the log is no longer at page ${batch.previousSeq}`;
        return yield* new Fenced({ epoch, fence: state.head.epoch, detail });
      }
      for (const page of batch.pages.slice(begin)) {
        yield* this.publish(state, epoch, (attempt, memory) =>
          encodePage(page, { attempt, epoch }, memory),
        );
      }
      state.mine.clear();
    },
  );

  /** Publishes at the head, and finds out what became of it. */
  private readonly publish = Effect.fnUntraced(
    { self: this },
    function* (
      this: LogWriter,
      state: Known,
      epoch: number,
      message: (attempt: string, memory: ArrayBuffer | undefined) => Message,
    ): Effect.fn.Return<void, SinkError | Fenced> {
      const { key } = state;
      const attempt = crypto.randomUUID();
      const made = message(attempt, state.memory);
      const { body, headers } = made;
      state.memory = undefined;
      state.mine.add(attempt);
      const before = state.head.at;
      const whole = body.length + HEADER_ROOM <= (this.broker.nc.info?.max_payload ?? 1_048_576);
      const sent = yield* Effect.result(
        Effect.tryPromise({ try: () => this.send(state, made, whole), catch: (cause) => cause }),
      );
      if (sent._tag === "Success") {
        state.head = headOf(sent.success.seq, headers);
        state.last = sent.success.seq;
        if (whole) state.memory = body.buffer as ArrayBuffer;
        yield* Metrics.record(Metrics.logPublished, key, 1, { result: "ok" });
        return;
      }
      // The log itself tells whether the message is in it.
      state.last = yield* this.readLast(key);
      state.head = yield* this.readHead(key);
      if (state.head.attempt === attempt) {
        yield* Metrics.record(Metrics.logPublished, key, 1, { result: "lostAck" });
        return;
      }
      // An earlier try of our own may have arrived late: the next one goes on after it.
      if (state.head.at !== before && !state.mine.has(state.head.attempt)) {
        yield* Metrics.record(Metrics.logPublished, key, 1, { result: "fenced" });
        const detail = "another writer moved the log";
        return yield* new Fenced({ epoch, fence: state.head.epoch, detail });
      }
      return yield* promise("commit", () => Promise.reject(sent.failure));
    },
  );

  private async send(state: Known, made: Message, whole: boolean): Promise<PubAck> {
    const { broker } = this;
    const { key } = state;
    const { body, headers, records = [] } = made;
    const ranges: Array<SequenceRange> = [];
    for (const record of records) {
      ranges.push(await publishParts(broker, state, rejectedOf(broker, key), record));
    }
    if (ranges.length > 0) withRecords(headers, ranges);
    if (!whole) {
      const { from, to } = await publishParts(broker, state, partsOf(broker, key), body);
      const sequences = Array.from({ length: to - from + 1 }, (_, index) => from + index);
      withParts(headers, sequences);
    }
    // The sequence of the stream, not of the subject: for that one the server loads the last page
    // from its disk.
    return broker.js.publish(subjectOf(broker, key), whole ? body : new Uint8Array(), {
      headers,
      expect: { lastSequence: state.last },
    });
  }

  private readHead(key: StreamKey): Effect.Effect<LogHead, SinkError> {
    return promise("read", async () => (await readHead(this.broker, key)) ?? NOTHING);
  }

  /** Before the head: a page in between makes the next publish fail, and the head is read again. */
  private readLast(key: StreamKey): Effect.Effect<number, SinkError> {
    return promise("read", async () => (await infoOf(this.broker, key))?.state.last_seq ?? 0);
  }
}

const newerEpoch = (epoch: number, fence: number): Fenced =>
  new Fenced({ epoch, fence, detail: "a newer epoch has claimed the stream" });

/**
 * Returns the index of the first page to write. Skips the pages that an earlier try of ours has
 * written. `undefined` if another writer has moved the log.
 */
const firstUnwritten = (batch: Batch, { head, mine }: Known): number | undefined => {
  const stands = head.checkpoint?.seq ?? 0n;
  if (stands === batch.previousSeq) return 0;
  const index = batch.pages.findIndex(({ page }: PageCommit) => page.seq === stands);
  return index >= 0 && mine.has(head.attempt) ? index + 1 : undefined;
};

/**
 * Publishes a body in parts. Parts have no fence: a message of somebody else between them would be
 * passed over, so they follow each other or the page is not written. Parts that nobody commits are
 * evicted like old pages.
 */
const publishParts = async (
  broker: Broker,
  state: Known,
  subject: string,
  body: Uint8Array,
): Promise<SequenceRange> => {
  const from = state.last + 1;
  for (let at = 0; at === 0 || at < body.length; at += PART_BYTES) {
    const { seq } = await broker.js.publish(subject, body.subarray(at, at + PART_BYTES));
    if (seq !== state.last + 1) {
      throw new Error("another writer published between the parts of a page");
    }
    state.last = seq;
  }
  return { from, to: state.last };
};
