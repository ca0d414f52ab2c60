/**
 * Rejected rows in a stream: each record is a message, or several that follow each other, before the
 * page that names them. A record that no page names was never committed. A later message resolves it.
 */
import type { StoredMsg } from "@nats-io/jetstream";
import { headers as makeHeaders, type MsgHdrs } from "@nats-io/transport-node";
import type * as Effect from "effect/Effect";
import { zstdCompressSync } from "node:zlib";
import type { SinkError } from "../Errors.ts";
import type { QuarantineRecord, StreamKey } from "../Model.ts";
import type { StoredQuarantine } from "../Sink.ts";
import { inflateStored } from "../core/inflate.ts";
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
  return { ...record, bytes: inflateStored(view.subarray(end)) };
};

/** The records of a stream that are not resolved. Costs what they weigh, whatever the log holds. */
export const openRecords = (
  broker: Broker,
  key: StreamKey,
): Effect.Effect<ReadonlyArray<StoredQuarantine>, SinkError> =>
  promise("quarantine", async () => {
    const found: Array<StoredQuarantine> = [];
    for (const { at, from, receivedAt, to } of await namedRecords(broker, key)) {
      const pieces: Array<Uint8Array> = [];
      for (let seq = from; seq <= to; seq += 1) {
        const message = await broker.jsm.streams.getMessage(streamOf(broker, key), { seq });
        if (message !== null) pieces.push(message.data);
      }
      // They may have been evicted meanwhile.
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

/**
 * Where the records are that are not resolved and not evicted. Reads the headers of the rejected
 * messages, and the pages that come next after them: those name the records that were committed.
 */
export const namedRecords = async (
  broker: Broker,
  key: StreamKey,
): Promise<ReadonlyArray<NamedRecord>> => {
  const info = await infoOf(broker, key);
  if (info === undefined) return [];
  const stream = streamOf(broker, key);
  const subject = rejectedOf(broker, key);
  const last = await broker.jsm.streams.getMessage(stream, { last_by_subj: subject });
  if (last === null) return [];
  const consumer = await broker.js.consumers.get(stream, {
    filter_subjects: [subject],
    headers_only: true,
  });
  const named = new Map<number, NamedRecord>();
  let page = 0;
  const messages = await consumer.consume({ max_messages: 500 });
  for await (const { headers, seq } of messages) {
    const resolved = headers?.get(RESOLVED) ?? "";
    if (resolved !== "") named.delete(Number(resolved));
    else if (seq > page) {
      const next = { seq, next_by_subj: subjectOf(broker, key) };
      const found = await broker.jsm.streams.getMessage(stream, next);
      page = found?.seq ?? page;
      for (const one of found === null ? [] : recordsOf(found)) named.set(one.from, one);
    }
    if (seq >= last.seq) break;
  }
  await messages.close();
  return [...named.values()].filter(({ from }) => from >= info.state.first_seq);
};

const recordsOf = ({ header, seq }: StoredMsg): ReadonlyArray<NamedRecord> =>
  [...header.get(REJECTED).matchAll(/(?<!\d)(\d+)-(\d+)/gu)].map(([, from, to]) => ({
    from: Number(from),
    to: Number(to),
    at: seq,
    receivedAt: Number(header.get("Received-At")),
  }));

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
