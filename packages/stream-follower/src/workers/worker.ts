/**
 * The program of a decoding thread: bodies in, packed pages out, one at a time.
 *
 * It knows nothing of streams, ids or stores, and keeps nothing between two bodies.
 */
import { parentPort } from "node:worker_threads";
import { MalformedPage } from "../Errors.ts";
import { type DecodeJob, type DecodeReply, serializeError } from "./messages.ts";
import { inflateNow } from "../core/inflateNow.ts";
import { checksumOf } from "../core/parsePage.ts";
import { packPage } from "./transferPage.ts";

const decode = (job: DecodeJob): readonly [DecodeReply, ReadonlyArray<ArrayBuffer>] => {
  const begun = performance.now();
  const raw = inflateNow(job.wire, job.encoding, job.maxPageBytes);
  if (!(raw instanceof Uint8Array)) return [{ kind: "failed", error: serializeError(raw) }, []];
  const inflated = performance.now();
  const checksum = checksumOf(raw, job.wire, job.encoding);
  const packed = packPage(owned(raw), checksum, job.source, job.level);
  if (packed instanceof MalformedPage) {
    return [{ kind: "failed", error: serializeError(packed) }, [bufferOf(packed.raw)]];
  }
  const inflateMillis = inflated - begun;
  const parseMillis = performance.now() - inflated;
  const transferred = [
    job.wire,
    packed.raw,
    packed.bounds,
    packed.items,
    ...(packed.texts === undefined ? [] : [packed.texts]),
  ];
  const reply = { kind: "page", page: packed, wire: job.wire, inflateMillis, parseMillis } as const;
  return [reply, [...new Set(transferred.map(bufferOf))]];
};

/**
 * Bytes whose memory can be given away: neither a slice of something larger nor of the pool that
 * small buffers share.
 */
const owned = (bytes: Uint8Array): Uint8Array => {
  const isWhole = bytes.byteOffset === 0 && bytes.buffer.byteLength - bytes.length <= SLACK_BYTES;
  return isWhole && bytes.length > Buffer.poolSize ? bytes : new Uint8Array(bytes);
};

/** A buffer that was made a little too large is still cheaper to give away than to copy. */
const SLACK_BYTES = 128 * 1024;

const bufferOf = (view: ArrayBufferView): ArrayBuffer => view.buffer as ArrayBuffer;

parentPort?.on("message", (job: DecodeJob) => parentPort?.postMessage(...decode(job)));
parentPort?.postMessage({ kind: "ready" } satisfies DecodeReply, []);
