/**
 * A page as messages of a stream. Headers carry the checkpoint and the fence, so the last message
 * tells where to go on; the body carries bounds and the page as it came. Records of rejected rows are
 * messages before it, which it names.
 */
import type { MsgHdrs } from "@nats-io/transport-node";
import { headers as makeHeaders } from "@nats-io/transport-node";
import type { Checkpoint, GapRecord, PageCommit, StreamKey } from "../Model.ts";
import type { LoggedPage } from "../PageLog.ts";
import { packBounds, unpackBounds } from "../core/bounds.ts";
import { type Broker, streamOf, subjectOf } from "./connection.ts";
import { encodeRecord } from "./records.ts";

/** State of a subject, as its last message has it. */
export interface LogHead {
  /** Its sequence in the stream; 0 for an empty subject. */
  readonly at: number;
  /** The fence. */
  readonly epoch: number;
  /** Tells one publish from every other one. */
  readonly attempt: string;
  readonly checkpoint: Checkpoint | undefined;
}

/** Names of the headers. */
const KIND = "Kind";
const EPOCH = "Epoch";
const ATTEMPT = "Attempt";
const PAGE_SEQ = "Page-Seq";
const NEXT_ID = "Next-Id";
const REQUESTED_ID = "Requested-Id";
const CHECKSUM = "Checksum";
const RECEIVED_AT = "Received-At";
const PARTS = "Parts";

interface HeadFields {
  readonly epoch: number;
  readonly attempt: string;
  readonly checkpoint: Omit<Checkpoint, "epoch"> | undefined;
}

/** Headers of a message that raises the fence: the checkpoint is carried on. */
export const claimHeaders = (fields: HeadFields): MsgHdrs => headersOf("claim", fields);

const headersOf = (kind: string, { attempt, checkpoint, epoch }: HeadFields): MsgHdrs => {
  const headers = makeHeaders();
  headers.set(KIND, kind);
  headers.set(EPOCH, String(epoch));
  headers.set(ATTEMPT, attempt);
  if (checkpoint !== undefined) {
    headers.set(PAGE_SEQ, String(checkpoint.seq));
    headers.set(NEXT_ID, asciiOf(checkpoint.nextId));
    headers.set(CHECKSUM, checkpoint.checksum);
    headers.set(RECEIVED_AT, String(Math.floor(checkpoint.receivedAt)));
  }
  return headers;
};

/** Reads the head of a log off its last message. */
export const headOf = (at: number, headers: MsgHdrs): LogHead => {
  const epoch = Number(headers.get(EPOCH));
  const seq = headers.get(PAGE_SEQ);
  return {
    at,
    epoch,
    attempt: headers.get(ATTEMPT),
    checkpoint:
      seq === ""
        ? undefined
        : {
            seq: BigInt(seq),
            nextId: JSON.parse(headers.get(NEXT_ID)) as string,
            checksum: headers.get(CHECKSUM),
            receivedAt: Number(headers.get(RECEIVED_AT)),
            epoch,
          },
  };
};

/** The head of a log; `undefined` where its subject is empty. */
export const readHead = async (broker: Broker, key: StreamKey): Promise<LogHead | undefined> => {
  const last = await broker.jsm.streams.getMessage(streamOf(broker, key), {
    last_by_subj: subjectOf(broker, key),
  });
  return last === null ? undefined : headOf(last.seq, last.header);
};

/** JSON text of an id in ASCII, which is what a header may hold. */
const asciiOf = (id: string): string =>
  JSON.stringify(id).replaceAll(
    /[\u007f-\uffff]/gu,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** The parts of a page besides its bytes. */
interface PageMeta {
  readonly encoding: string;
  readonly rawBytes: number;
  readonly rows: number;
  readonly state: LoggedPage["state"];
  readonly gaps: ReadonlyArray<GapRecord>;
}

/** A message to publish. */
export interface Message {
  readonly headers: MsgHdrs;
  readonly body: Uint8Array;
  /** Bodies of the records of rejected rows, which are published before it. */
  readonly records?: ReadonlyArray<Uint8Array>;
}

/** A page as headers and body; the body is written into `memory` where it fits. */
export const encodePage = (
  commit: PageCommit,
  fields: Pick<HeadFields, "epoch" | "attempt">,
  memory = EMPTY,
): Message => {
  const { page } = commit;
  const headers = headersOf("page", { ...fields, checkpoint: page });
  if (page.requestedId !== undefined) headers.set(REQUESTED_ID, asciiOf(page.requestedId));
  const meta: PageMeta = {
    encoding: page.encoding,
    rawBytes: page.raw.length,
    rows: page.rows.length,
    state: page.raw.length > 0 ? "ok" : "unread",
    gaps: page.gaps,
  };
  const bounds = packBounds(page.bounds, page.rows);
  const text = Buffer.from(JSON.stringify(meta));
  const size = 8 + bounds.length + text.length + page.wire.length;
  // Somewhat larger than this page, so that the next one fits as well.
  const target =
    memory.byteLength >= size ? memory : new ArrayBuffer(Math.ceil(size * SPARE_RATIO));
  const body = Buffer.from(target, 0, size);
  body.writeUInt32LE(bounds.length, 0);
  body.writeUInt32LE(text.length, 4);
  body.set(bounds, 8);
  body.set(text, 8 + bounds.length);
  body.set(page.wire, 8 + bounds.length + text.length);
  return { headers, body, records: commit.quarantine.map(encodeRecord) };
};

const EMPTY = new ArrayBuffer(0);
const SPARE_RATIO = 1.25;

/** Names the sequences of the parts in front of an empty body. */
export const withParts = (headers: MsgHdrs, sequences: ReadonlyArray<number>): MsgHdrs => {
  headers.set(PARTS, sequences.join(","));
  return headers;
};

/** The sequences of a page's parts, in order; none where the message holds the page. */
export const partsIn = (headers: MsgHdrs): ReadonlyArray<number> => {
  const parts = headers.get(PARTS);
  return parts === "" ? [] : parts.split(",").map(Number);
};

/** Whether a message commits a page; others are claims and parts. */
export const isPage = (headers: MsgHdrs | undefined): headers is MsgHdrs =>
  headers?.get(KIND) === "page";

/** Whether a message is a part of a page that is too large for one. */
export const isPart = (headers: MsgHdrs | undefined): boolean => headers?.has(EPOCH) !== true;

/** The page of a message; its position is the sequence in the stream. */
export const decodePage = (
  key: StreamKey,
  at: number,
  headers: MsgHdrs,
  body: Uint8Array,
): LoggedPage => {
  const view = Buffer.from(body.buffer, body.byteOffset, body.length);
  const boundsEnd = 8 + view.readUInt32LE(0);
  const metaEnd = boundsEnd + view.readUInt32LE(4);
  const meta = JSON.parse(view.toString("utf8", boundsEnd, metaEnd)) as PageMeta;
  const head = headOf(at, headers).checkpoint;
  if (head === undefined) throw new Error(`message ${at} has no page number`);
  const requested = headers.get(REQUESTED_ID);
  return {
    key,
    seq: BigInt(at),
    requestedId: requested === "" ? undefined : (JSON.parse(requested) as string),
    nextId: head.nextId,
    receivedAt: head.receivedAt,
    followsGap: meta.gaps.length > 0,
    state: meta.state,
    encoding: meta.encoding,
    body: view.subarray(metaEnd),
    rawBytes: meta.rawBytes,
    checksum: head.checksum,
    rows: meta.rows,
    bounds: unpackBounds(view.subarray(8, boundsEnd)),
  };
};
