/**
 * Reads the page log of a stream through ordered consumers: nothing to acknowledge or to clean up.
 *
 * The position of a page is its sequence in the stream. Sequences have no holes, since nothing but
 * the oldest messages is ever deleted; a hole therefore means that messages were lost on the way,
 * and the read begins again, or that they are evicted: `HistoryExpired`.
 */
import type { ConsumerMessages, JsMsg } from "@nats-io/jetstream";
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import { HistoryExpired } from "../Errors.ts";
import { keyName, type StreamKey } from "../Model.ts";
import type { LoggedPage, LogPosition, PageLogService } from "../PageLog.ts";
import { type Broker, infoOf, promise, streamOf } from "./connection.ts";
import { decodePage, isPage, isPart, partsIn, readHead } from "./page.ts";
import { sinkError } from "../core/attempt.ts";

/** Messages that the broker sends ahead: bounds the memory of a slow reader. */
const AHEAD = 8;
/** Time that a read waits for its first message. */
const WAIT_MILLIS = 100;
/** A consumer that is silent although the log goes on is made anew. */
const SILENCE_MILLIS = 3000;
const MAX_IDLE_READERS = 8;

/** The streams that may exist. */
export const KEYS: ReadonlyArray<StreamKey> = [
  ...(["pc", "console_a", "console_b"] as const).map((realm): StreamKey => ({
    source: "stashes",
    realm,
  })),
  ...(["pc", "console_a", "console_b", "game2"] as const).map((realm): StreamKey => ({
    source: "exchange",
    realm,
  })),
];

/** The log of a broker. */
export const logOf = (broker: Broker): Effect.Effect<PageLogService, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new Set<LogReader>()),
      (idle) => Effect.sync(() => idle.forEach((reader) => reader.close())),
    ),
    (idle): PageLogService => ({
      positions: promise("positions", async () => {
        const found = await Promise.all(KEYS.map((key) => positionOf(broker, key)));
        return found.filter((each) => each !== undefined);
      }),
      read: (key, after, { maxBytes = 8 * 1024 * 1024, maxPages = 8 } = {}) =>
        Effect.suspend(() => {
          const name = keyName(key);
          const ready = [...idle].find((each) => each.name === name && each.position === after);
          const reader = ready ?? new LogReader(broker, key, after);
          idle.delete(reader);
          return promise("read", () => reader.read(maxPages, maxBytes)).pipe(
            Effect.tap(() => Effect.sync(() => keep(idle, reader))),
            // Pages that were taken and not returned would be missing from the next read.
            Effect.onError(() => Effect.sync(() => reader.close())),
          );
        }),
      acknowledge: () => Effect.void,
      prune: () =>
        Effect.fail(
          sinkError(
            "prune",
            "incompatible",
            "the broker prunes by itself: set max_bytes of the stream",
          ),
        ),
    }),
  );

const keep = (idle: Set<LogReader>, reader: LogReader): void => {
  idle.add(reader);
  if (idle.size <= MAX_IDLE_READERS) return;
  const [oldest] = idle;
  idle.delete(oldest!);
  oldest!.close();
};

/** Reads the position of a stream; `undefined` if nothing was followed into it. */
const positionOf = async (broker: Broker, key: StreamKey): Promise<LogPosition | undefined> => {
  const info = await infoOf(broker, key);
  if (info === undefined || info.state.messages === 0) return undefined;
  const head = await readHead(broker, key);
  if (head?.checkpoint === undefined) return undefined;
  return {
    key,
    nextId: head.checkpoint.nextId,
    oldestSeq: BigInt(info.state.first_seq),
    // A page may have come between the two questions.
    seq: BigInt(Math.max(info.state.last_seq, head.at)),
    bytes: info.state.bytes,
  };
};

/** Reads one stream from a position on. */
class LogReader {
  readonly name: string;
  /** The last page that was returned. */
  position: bigint;
  private readonly broker: Broker;
  private readonly key: StreamKey;
  /** The last message that was taken, of whatever kind. */
  private taken: number;
  /** The last message that the log is known to have: before it, silence is not the end. */
  private end = 0;
  private messages: ConsumerMessages | undefined;
  private iterator: AsyncIterator<JsMsg> | undefined;
  private coming: Promise<IteratorResult<JsMsg>> | undefined;
  private setBack: LoggedPage | undefined;
  private readonly parts = new Map<number, Uint8Array>();
  private heardAt = performance.now();
  constructor(broker: Broker, key: StreamKey, after: bigint) {
    this.broker = broker;
    this.key = key;
    this.name = keyName(key);
    this.position = after;
    this.taken = Number(after);
  }

  async read(maxPages: number, maxBytes: number): Promise<ReadonlyArray<LoggedPage>> {
    const pages: Array<LoggedPage> = [];
    let bytes = 0;
    while (pages.length < maxPages) {
      const page = this.setBack ?? (await this.next(pages.length === 0 ? WAIT_MILLIS : 0));
      this.setBack = undefined;
      if (page === undefined) break;
      bytes += page.body.length;
      if (pages.length > 0 && bytes > maxBytes) {
        this.setBack = page;
        break;
      }
      pages.push(page);
    }
    this.position = pages.at(-1)?.seq ?? this.position;
    return pages;
  }

  /** Stops the consumer; the broker forgets it by itself. */
  close(): void {
    const { messages } = this;
    this.messages = undefined;
    this.iterator = undefined;
    this.coming = undefined;
    this.parts.clear();
    void messages?.close().catch(() => undefined);
  }

  /** The next page, or `undefined` after `waitMillis` without one. */
  private async next(waitMillis: number): Promise<LoggedPage | undefined> {
    while (true) {
      if (this.messages === undefined && !(await this.open())) return undefined;
      const message = await this.take(waitMillis);
      if (message === undefined) {
        await this.watch();
        if (waitMillis > 0 && this.taken < this.end) continue;
        return undefined;
      }
      this.end = Math.max(this.end, message.seq + message.info.pending);
      if (message.seq <= this.taken) continue;
      if (message.seq > this.taken + 1) {
        // Lost on the way, or evicted: opening anew finds out.
        this.close();
        continue;
      }
      this.taken = message.seq;
      if (isPage(message.headers)) {
        const body = await this.bodyOf(message.headers, message.data);
        this.parts.clear();
        return decodePage(this.key, message.seq, message.headers, body);
      }
      if (isPart(message.headers)) this.parts.set(message.seq, message.data);
    }
  }

  private async take(waitMillis: number): Promise<JsMsg | undefined> {
    if (this.iterator === undefined) return undefined;
    this.coming ??= this.iterator.next();
    const timer = Promise.withResolvers<undefined>();
    const timeout =
      waitMillis > 0
        ? setTimeout(timer.resolve, waitMillis, undefined)
        : setImmediate(timer.resolve, undefined);
    const result = await Promise.race([this.coming, timer.promise]);
    if (waitMillis > 0) clearTimeout(timeout as NodeJS.Timeout);
    if (result === undefined) return undefined;
    this.coming = undefined;
    this.heardAt = performance.now();
    if (result.done !== true) return result.value;
    this.close();
    return undefined;
  }

  /** Begins after the last message; `false` where there is no stream yet. */
  private async open(): Promise<boolean> {
    const info = await infoOf(this.broker, this.key);
    if (info === undefined) return false;
    const { first_seq: first, last_seq: last } = info.state;
    if (this.taken + 1 < first) {
      const position = BigInt(this.taken);
      throw new HistoryExpired({ stream: this.name, position, first: BigInt(first) });
    }
    if (this.taken > last) {
      const text = `the log ends at ${last}, the reader stands at ${this.taken}: the stream was made anew`;
      throw sinkError("read", "corrupt", text);
    }
    this.end = last;
    const consumer = await this.broker.js.consumers.get(streamOf(this.broker, this.key), {
      deliver_policy: "by_start_sequence",
      opt_start_seq: this.taken + 1,
      inactive_threshold: 60_000,
    });
    this.messages = await consumer.consume({
      max_messages: AHEAD,
      expires: 2000,
      idle_heartbeat: 500,
    });
    this.iterator = this.messages[Symbol.asyncIterator]();
    this.heardAt = performance.now();
    return true;
  }

  /** Closes a consumer that is silent although the log goes on. */
  private async watch(): Promise<void> {
    if (performance.now() - this.heardAt < SILENCE_MILLIS) return;
    this.heardAt = performance.now();
    const info = await infoOf(this.broker, this.key);
    if (info === undefined) return;
    this.end = info.state.last_seq;
    if (this.end > this.taken) this.close();
  }

  private async bodyOf(
    headers: Parameters<typeof partsIn>[0],
    data: Uint8Array,
  ): Promise<Uint8Array> {
    const sequences = partsIn(headers);
    if (sequences.length === 0) return data;
    const parts: Array<Uint8Array> = [];
    for (const seq of sequences) {
      const stream = streamOf(this.broker, this.key);
      const part =
        this.parts.get(seq) ?? (await this.broker.jsm.streams.getMessage(stream, { seq }))?.data;
      if (part === undefined) {
        const first = BigInt((await infoOf(this.broker, this.key))?.state.first_seq ?? 0);
        throw new HistoryExpired({ stream: this.name, position: this.position, first });
      }
      parts.push(part);
    }
    return Buffer.concat(parts);
  }
}
