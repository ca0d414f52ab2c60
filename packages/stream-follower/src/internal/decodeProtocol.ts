/**
 * What a follower and its decoding threads say to each other: plain data, and memory that is handed
 * over.
 */
import type { DecodeLevel } from "../Decode.ts";
import { DecompressError, MalformedPage, OversizedPage, TruncatedBody } from "../Errors.ts";
import type { StreamSource } from "../Model.ts";
import type { PackedPage } from "./remoteRows.ts";

/** What a thread is given. */
export interface DecodeJob {
  readonly wire: Uint8Array;
  readonly encoding: string;
  readonly source: StreamSource;
  readonly level: DecodeLevel;
  readonly maxPageBytes: number;
}

/** What it answers. `ready` comes once, before everything else. */
export type DecodeReply =
  | { readonly kind: "ready" }
  | {
      readonly kind: "page";
      readonly page: PackedPage;
      readonly inflateMillis: number;
      readonly parseMillis: number;
    }
  | { readonly kind: "failed"; readonly error: PlainError };

/** An error of a body as plain data: a class does not survive the way between threads. */
export type PlainError =
  | (Pick<MalformedPage, "_tag" | "detail" | "raw"> & { readonly headId: string | undefined })
  | Pick<OversizedPage, "_tag" | "limit" | "stage" | "head">
  | Pick<TruncatedBody, "_tag" | "received" | "detail">
  | Pick<DecompressError, "_tag" | "encoding" | "detail">;

/** An error as plain data. */
export const plain = (
  error: MalformedPage | OversizedPage | TruncatedBody | DecompressError,
): PlainError => {
  switch (error._tag) {
    case "MalformedPage":
      return { _tag: error._tag, detail: error.detail, raw: error.raw, headId: error.headId };
    case "OversizedPage":
      return { _tag: error._tag, limit: error.limit, stage: error.stage, head: error.head };
    case "TruncatedBody":
      return { _tag: error._tag, received: error.received, detail: error.detail };
    case "DecompressError":
      return { _tag: error._tag, encoding: error.encoding, detail: error.detail };
  }
};

/** The error that was told in plain data. */
export const revived = (
  error: PlainError,
): MalformedPage | OversizedPage | TruncatedBody | DecompressError => {
  switch (error._tag) {
    case "MalformedPage": {
      const { detail, headId, raw } = error;
      return new MalformedPage({ detail, raw, ...(headId === undefined ? {} : { headId }) });
    }
    case "OversizedPage":
      return new OversizedPage(error);
    case "TruncatedBody":
      return new TruncatedBody(error);
    case "DecompressError":
      return new DecompressError(error);
  }
};
