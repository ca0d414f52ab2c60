/**
 * Messages between a follower and its decoding threads: plain data, and memory that is transferred.
 */

import { DecompressError, MalformedPage, PageTooLarge, TruncatedBody } from "../Errors.ts";
import type { DecodeLevel, StreamSource } from "../Model.ts";
import type { PackedPage } from "./transferPage.ts";

/** Message to a thread: one body to decode. */
export interface DecodeJob {
  readonly wire: Uint8Array;
  readonly encoding: string;
  readonly source: StreamSource;
  readonly level: DecodeLevel;
  readonly maxPageBytes: number;
}

/** Message from a thread. `ready` comes once, before everything else. */
export type DecodeReply =
  | { readonly kind: "ready" }
  | {
      readonly kind: "page";
      readonly page: PackedPage;
      /** The job's own bytes, given back. */
      readonly wire: Uint8Array;
      readonly inflateMillis: number;
      readonly parseMillis: number;
    }
  | { readonly kind: "failed"; readonly error: SerializedError };

/** Error of a body as plain data: a class does not survive the way between threads. */
export type SerializedError =
  | (Pick<MalformedPage, "_tag" | "detail" | "raw"> & { readonly headId: string | undefined })
  | Pick<PageTooLarge, "_tag" | "limit" | "stage" | "head">
  | Pick<TruncatedBody, "_tag" | "received" | "detail">
  | Pick<DecompressError, "_tag" | "encoding" | "detail">;

/** An error as plain data. */
export const serializeError = (
  error: MalformedPage | PageTooLarge | TruncatedBody | DecompressError,
): SerializedError => {
  switch (error._tag) {
    case "MalformedPage":
      return { _tag: error._tag, detail: error.detail, raw: error.raw, headId: error.headId };
    case "PageTooLarge":
      return { _tag: error._tag, limit: error.limit, stage: error.stage, head: error.head };
    case "TruncatedBody":
      return { _tag: error._tag, received: error.received, detail: error.detail };
    case "DecompressError":
      return { _tag: error._tag, encoding: error.encoding, detail: error.detail };
  }
};

/** The error that plain data describe. */
export const deserializeError = (
  error: SerializedError,
): MalformedPage | PageTooLarge | TruncatedBody | DecompressError => {
  switch (error._tag) {
    case "MalformedPage": {
      const { detail, headId, raw } = error;
      return new MalformedPage({ detail, raw, ...(headId === undefined ? {} : { headId }) });
    }
    case "PageTooLarge":
      return new PageTooLarge(error);
    case "TruncatedBody":
      return new TruncatedBody(error);
    case "DecompressError":
      return new DecompressError(error);
  }
};
