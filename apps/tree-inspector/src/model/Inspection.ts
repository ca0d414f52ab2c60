/**
 * Reads a pasted text. Returns the link with its layout, or the error with its position and the
 * readable part.
 */
import { safeDecode, type TreeLinkError } from "@game-data/tree-link";
import { layout, type Layout } from "@game-data/tree-link/layout";
import { decodePartial, type PartialDecode } from "@game-data/tree-link/partial";
import { explain } from "@game-data/tree-link/text";
import { extractPayload, type FoundPayload, TreeLinkUrlError } from "@game-data/tree-link/url";

/** A fault in a payload, from character `start` up to, but not including, `end`. */
export interface Fault {
  readonly message: string;
  readonly payload: string;
  /** Equals `end` if the payload ends too early. */
  readonly start: number;
  readonly end: number;
  /** The fields that could be read before the fault. */
  readonly partial: PartialDecode;
}

export type Inspection =
  | { readonly kind: "empty" }
  | { readonly kind: "refused"; readonly message: string; readonly fault?: Fault }
  | {
      readonly kind: "link";
      readonly found: FoundPayload;
      readonly layout: Layout;
    };

/** Reads a link from a text: a payload, an address, or a message that contains one. */
export const inspect = (text: string): Inspection => {
  if (text.trim() === "") return { kind: "empty" };
  let found: FoundPayload;
  try {
    found = extractPayload(text);
  } catch (error) {
    if (!(error instanceof TreeLinkUrlError)) throw error;
    return { kind: "refused", message: error.message };
  }
  const result = safeDecode(found.payload);
  if (result.ok) return { kind: "link", found, layout: layout(found.payload) };
  const fault = locate(result.error, found.payload);
  return { kind: "refused", message: fault.message, fault };
};

const WIDTHS: Record<string, number> = { version: 4 };

const locate = (error: TreeLinkError, payload: string): Fault => {
  const common = { message: explain(error), payload, partial: decodePartial(payload) };
  if (error.unit === "character") {
    const end = Math.min(error.offset + 1, payload.length);
    return { ...common, start: Math.min(error.offset, end), end };
  }
  const width = WIDTHS[error.field ?? ""] ?? 1;
  const end =
    error.reason === "trailing-bytes"
      ? payload.length
      : Math.ceil(((error.offset + width) * 8) / 6);
  return {
    ...common,
    start: Math.min(Math.floor((error.offset * 8) / 6), payload.length),
    end: Math.min(end, payload.length),
  };
};
