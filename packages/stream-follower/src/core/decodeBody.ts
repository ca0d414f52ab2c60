/**
 * A body as it came over the wire becomes a page: inflated on Node's thread pool, read on the
 * thread that follows.
 */
import type { Coding } from "@game-data/contract/inflate";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import {
  type DecompressError,
  MalformedPage,
  type PageTooLarge,
  type TruncatedBody,
} from "../Errors.ts";
import type { DecodeLevel, StreamSource } from "../Model.ts";
import { inflate } from "./inflate.ts";
import { checksumOf } from "./checksum.ts";
import { type ReadPage, readPage } from "./readPage.ts";

/** A body as it came over the wire, and how it is to be read. */
interface WireBody {
  readonly wire: Uint8Array;
  /** `Content-Encoding`. */
  readonly encoding: string;
  readonly source: StreamSource;
  readonly level: DecodeLevel;
  /** The codings that the source asked for. */
  readonly codings?: ReadonlyArray<Coding> | undefined;
  /** Largest body, inflated. */
  readonly maxPageBytes: number;
}

/** A body that is a page. */
interface DecodedBody extends ReadPage {
  /** The body as it came over the wire. */
  readonly wire: Uint8Array;
  /** The JSON text as bytes. */
  readonly raw: Uint8Array;
  /** CRC-32 and length of `raw`. */
  readonly checksum: string;
  /** Time spent on decompression, in milliseconds. */
  readonly inflateMillis: number;
  /** Time spent on reading and checking, in milliseconds. */
  readonly parseMillis: number;
}

/** Inflates and reads a body. */
export const decodeBody = Effect.fnUntraced(function* ({
  codings,
  encoding,
  level,
  maxPageBytes,
  source,
  wire,
}: WireBody): Effect.fn.Return<
  DecodedBody,
  DecompressError | PageTooLarge | TruncatedBody | MalformedPage
> {
  const begun = yield* Clock.currentTimeMillis;
  const raw = yield* inflate(wire, { encoding, codings, limit: maxPageBytes });
  const inflated = yield* Clock.currentTimeMillis;
  const read = readPage(raw, source, level);
  if (read instanceof MalformedPage) return yield* read;
  return {
    ...read,
    wire,
    raw,
    checksum: checksumOf(raw, wire, encoding),
    inflateMillis: inflated - begun,
    parseMillis: (yield* Clock.currentTimeMillis) - inflated,
  };
});
