/**
 * Rejected rows in a stream: each record is a message, or several that follow each other, before the
 * page that names them. A record that no page names was never committed. A later message resolves it.
 */
import { headers as makeHeaders, type MsgHdrs } from "@nats-io/transport-node";
import type * as Effect from "effect/Effect";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { SinkError } from "../Errors.ts";
import type { QuarantineRecord, StreamKey } from "../Model.ts";
import type { StoredQuarantine } from "../Sink.ts";
import { type Broker, infoOf, promise, rejectedOf, streamOf, subjectOf } from "./connection.ts";

/** Messages of a stream, both included. */
export interface SequenceRange {
  readonly from: number;
  readonly to: number;
}

const REJECTED = "Rejected";
const RESOLVED = "Resolved";

/** Names the records of a page in its headers. */
export const withRecords = (headers: MsgHdrs, ranges: ReadonlyArray<SequenceRange>): void =>
  headers.set(REJECTED, ranges.map(({ from, to }) => `${from}-${to}`).join(","));

/** A record as the body of a message: what is known of it, and its bytes. */
export const encodeRecord = ({ bytes, ...record }: QuarantineRecord): Uint8Array => {
  const text = Buffer.from(JSON.stringify(record));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return Buffer.concat([length, text, zstdCompressSync(bytes)]);
};

const decodeRecord = (body: Uint8Array): QuarantineRecord => {
  const view = Buffer.from(body.buffer, body.byteOffset, body.length);
  const end = 4 + view.readUInt32LE(0);
  const record = JSON.parse(view.toString("utf8", 4, end)) as Omit<QuarantineRecord, "bytes">;
  return { ...record, bytes: zstdDecompressSync(view.subarray(end)) };
};

/** The records of a stream that are not resolved. Reads the headers of every page that is kept. */
export const openRecords = (
  broker: Broker,
  key: StreamKey,
): Effect.Effect<ReadonlyArray<StoredQuarantine>, SinkError> =>
  promise("quarantine", async () => {
    const named = await namedRecords(broker, key);
    const found: Array<StoredQuarantine> = [];
    for (const { at, from, receivedAt, to } of named) {
      const pieces: Array<Uint8Array> = [];
      for (let seq = from; seq <= to; seq += 1) {
        const message = await broker.jsm.streams.getMessage(streamOf(broker, key), { seq });
        if (message !== null) pieces.push(message.data);
      }
      // The oldest messages are evicted with the pages before them.
      if (pieces.length <= to - from) continue;
      const record = decodeRecord(Buffer.concat(pieces));
      found.push({ ...record, id: from, key, seq: BigInt(at), firstSeen: receivedAt });
    }
    return found;
  });

interface NamedRecord extends SequenceRange {
  /** The page's sequence. */
  readonly at: number;
  readonly receivedAt: number;
}

const namedRecords = async (
  broker: Broker,
  key: StreamKey,
): Promise<ReadonlyArray<NamedRecord>> => {
  const subject = rejectedOf(broker, key);
  if ((await infoOf(broker, key)) === undefined) return [];
  const { state } = await broker.jsm.streams.info(streamOf(broker, key), {
    subjects_filter: subject,
  });
  if ((state.subjects?.[subject] ?? 0) === 0) return [];
  const consumer = await broker.js.consumers.get(streamOf(broker, key), {
    filter_subjects: [subjectOf(broker, key), subject],
    headers_only: true,
  });
  const named = new Map<number, NamedRecord>();
  // Up to what is there now. A server counts what is pending wrongly for two subjects at once.
  const lasts = await Promise.all(
    [subject, subjectOf(broker, key)].map((last_by_subj) =>
      broker.jsm.streams.getMessage(streamOf(broker, key), { last_by_subj }),
    ),
  );
  const end = Math.max(...lasts.map((last) => last?.seq ?? 0));
  const messages = await consumer.consume({ max_messages: 500 });
  for await (const { headers, seq } of messages) {
    const names = headers?.get(REJECTED) ?? "";
    for (const [, from, to] of names.matchAll(/(\d+)-(\d+)/gu)) {
      const receivedAt = Number(headers?.get("Received-At"));
      named.set(Number(from), { from: Number(from), to: Number(to), at: seq, receivedAt });
    }
    named.delete(Number(headers?.get(RESOLVED) ?? -1));
    if (seq >= end) break;
  }
  await messages.close();
  return [...named.values()];
};

/** Notes that a record is resolved. A follower that publishes meanwhile tries again. */
export const resolveRecord = (
  broker: Broker,
  { id, key }: StoredQuarantine,
): Effect.Effect<void, SinkError> =>
  promise("resolve", async () => {
    const headers = makeHeaders();
    headers.set(RESOLVED, String(id));
    await broker.js.publish(rejectedOf(broker, key), "", { headers });
  });
