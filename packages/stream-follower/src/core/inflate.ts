/**
 * A whole body from its wire bytes to JSON text, within a bound, with the errors of this package.
 *
 * The bound stops a bomb while it inflates, and a coding that the source did not ask for is refused
 * before a byte of it is read (`@game-data/contract/inflate`).
 */
import {
  type Coding,
  inflate as inflateBody,
  InflateError,
  inflateSync,
} from "@game-data/contract/inflate";
import * as Effect from "effect/Effect";
import { DecompressError, PageTooLarge, TruncatedBody } from "../Errors.ts";
import { inflateHead } from "./inflateHead.ts";
import { own } from "./ownedBytes.ts";

/** How a body was compressed, and the bound of what it may hold. */
export interface Inflating {
  /** `Content-Encoding`. */
  readonly encoding: string;
  /** Bytes of output at most. */
  readonly limit: number;
  /** The codings that may occur. Default: gzip, which the clients of this repository ask for. */
  readonly codings?: ReadonlyArray<Coding> | undefined;
}

/** The codings of stored pages: those of any source. */
export const ALL_CODINGS: ReadonlyArray<Coding> = ["gzip", "deflate", "br", "zstd"];

/** V8 makes no longer text, so that no document of a store is longer. */
const LONGEST_DOCUMENT = 0x1f_ff_ff_e8;

/** Reads back what a store compressed with zstd. */
export const inflateStored = (doc: Uint8Array): Uint8Array =>
  inflateSync(doc, "zstd", { limit: LONGEST_DOCUMENT, codings: ["zstd"] });

/** Reads back a text that a store compressed. */
export const storedText = (doc: Uint8Array): string =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(inflateStored(doc));

/** Inflates `wire`. */
export const inflate = (
  wire: Uint8Array,
  options: Inflating,
): Effect.Effect<Uint8Array, DecompressError | PageTooLarge | TruncatedBody> =>
  Effect.tryPromise({
    try: async () => {
      const raw = await inflateBody(wire, options.encoding, options);
      return raw === wire ? raw : own(raw);
    },
    catch: (cause) => failureOf(cause, wire, options),
  });

const failureOf = (
  cause: unknown,
  wire: Uint8Array,
  options: Inflating,
): DecompressError | PageTooLarge | TruncatedBody => {
  const { message, reason } =
    cause instanceof InflateError ? cause : { message: String(cause), reason: "corrupt" };
  if (reason === "too-large") return pageTooLarge("inflated", wire, options);
  if (reason === "truncated") return new TruncatedBody({ received: wire.length, detail: message });
  return new DecompressError({ encoding: options.encoding, detail: message });
};

/** Bytes of a page beyond the size limit that are kept for the quarantine. */
const KEPT_HEAD = 64 * 1024;

/** The error of a page that is too large, with as much of its beginning as is worth keeping. */
export const pageTooLarge = (
  stage: "wire" | "inflated",
  wire: Uint8Array,
  { codings, encoding, limit }: Inflating,
): PageTooLarge => {
  const head = inflateHead(wire, encoding, codings) ?? new Uint8Array();
  return new PageTooLarge({ limit, stage, head: Uint8Array.from(head.subarray(0, KEPT_HEAD)) });
};
