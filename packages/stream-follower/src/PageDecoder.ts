/**
 * Decodes bodies into pages: the thread that follows (the default), or threads of their own
 * (`DecodeWorker`).
 *
 * A reference with a default, so that programs provide it only to change it. Both give the same
 * pages and the same errors.
 */
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type { DecodeLevel } from "./Decode.ts";
import {
  type DecodeWorkerExited,
  type DecompressError,
  MalformedPage,
  type PageTooLarge,
  type TruncatedBody,
} from "./Errors.ts";
import type { PageRow, StreamSource } from "./Model.ts";
import { inflate } from "./core/inflate.ts";
import { checksumOf, parsePage } from "./core/parsePage.ts";

/** A body as it came over the wire, and how it is to be read. */
export interface WireBody {
  /** The bytes; a decoder may hand them to another thread, after which they are gone here. */
  readonly wire: Uint8Array;
  /** Whether nobody else holds the memory of `wire`. */
  readonly ownsBuffer: boolean;
  /** `Content-Encoding`. */
  readonly encoding: string;
  /** Which stream it is a page of. */
  readonly source: StreamSource;
  /** Level at which its rows will be checked. */
  readonly level: DecodeLevel;
  /** Largest body, inflated. */
  readonly maxPageBytes: number;
  /** Number of threads that exited while decoding responses to the same request. */
  readonly threadsLost: number;
}

/** A body that is a page. */
export interface DecodedBody {
  /** The body as it came over the wire. */
  readonly wire: Uint8Array;
  /** The JSON text as bytes. */
  readonly raw: Uint8Array;
  /** CRC-32 and length of `raw`. */
  readonly checksum: string;
  /** The id to continue with. */
  readonly nextId: string;
  /** The rows, checked at the body's level. */
  readonly rows: ReadonlyArray<PageRow>;
  /** Start and end of each row's text in `raw`. `undefined` if the scanner did not find them. */
  readonly bounds: ReadonlyArray<number> | undefined;
  /** Time spent on decompression, in milliseconds. */
  readonly inflateMillis: number;
  /** Time spent on parsing, in milliseconds, with the check of rows if the parser does it. */
  readonly parseMillis: number;
}

/** The function of a decoder. */
export interface PageDecoderService {
  /** Inflates and reads a body. */
  readonly decode: (body: WireBody) => Effect.Effect<DecodedBody, DecodeError>;
}

/** Errors of decoding a body. */
export type DecodeError =
  | DecompressError
  | PageTooLarge
  | TruncatedBody
  | MalformedPage
  | DecodeWorkerExited;

/** Inflates on the thread pool of Node, and parses on the thread that follows. */
export const sameThread: PageDecoderService = {
  decode: Effect.fnUntraced(function* ({
    wire,
    encoding,
    source,
    level,
    maxPageBytes,
  }): Effect.fn.Return<DecodedBody, DecodeError> {
    const begun = yield* Clock.currentTimeMillis;
    const raw = yield* inflate(wire, encoding, maxPageBytes);
    const inflated = yield* Clock.currentTimeMillis;
    const read = parsePage(raw, source, level);
    if (read instanceof MalformedPage) return yield* read;
    return {
      wire,
      raw,
      checksum: checksumOf(raw, wire, encoding),
      nextId: read.nextId,
      rows: read.rows,
      bounds: read.bounds,
      inflateMillis: inflated - begun,
      parseMillis: (yield* Clock.currentTimeMillis) - inflated,
    };
  }),
};

/** The decoder that followers use. */
export class PageDecoder extends Context.Reference<PageDecoderService>(
  "@game-data/stream-follower/PageDecoder",
  { defaultValue: () => sameThread },
) {}
