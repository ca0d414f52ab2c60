/**
 * What a pasted text turns out to be: a link with its layout, or a refusal with the place in the
 * text that is at fault.
 */
import { safeDecode, type TreeLinkError } from "@game-data/tree-link";
import { layout, type Layout } from "@game-data/tree-link/layout";
import { extractPayload, type FoundPayload, TreeLinkUrlError } from "@game-data/tree-link/url";

/** The place of a fault in the payload, as characters. */
export interface Fault {
  readonly message: string;
  readonly payload: string;
  /** Half-open; empty where something is missing at the end. */
  readonly start: number;
  readonly end: number;
}

/** The outcome of looking at a text. */
export type Inspection =
  | { readonly kind: "empty" }
  | { readonly kind: "refused"; readonly message: string; readonly fault?: Fault }
  | { readonly kind: "link"; readonly found: FoundPayload; readonly layout: Layout };

/** Looks at a text in any of the forms in which links are passed on. */
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

const EXPLANATIONS: Record<TreeLinkError["reason"], string> = {
  "invalid-type": "this is no text",
  "too-long": "this is longer than any link",
  "invalid-character": "this character is not in the base64url alphabet (A–Z, a–z, 0–9, - and _)",
  "invalid-padding": "this padding does not belong to a text of this length",
  "invalid-length": "no base64url text has this length; a character is missing or too many",
  "non-zero-tail-bits": "this last character sets bits that no byte uses",
  "unknown-version": "the version is not 4, 5 or 6",
  truncated: "the link ends too early",
  "trailing-bytes": "these bytes come after the last list",
  "odd-tail": "half a hash stands at the end",
  "invalid-fullscreen": "the fullscreen byte is neither 0 nor 1",
  "too-many": "a list holds more than 255 entries",
  "out-of-range": "a number does not fit its field",
  "no-room": "this version has no place for it",
};

const WIDTHS: Record<string, number> = { version: 4 };

const locate = (error: TreeLinkError, payload: string): Fault => {
  const where = error.field === undefined ? "" : ` (in ${error.field})`;
  const message = `${EXPLANATIONS[error.reason]}${where}.`;
  if (error.unit === "character")
    return {
      message,
      payload,
      start: error.offset,
      end: Math.min(error.offset + 1, payload.length),
    };
  const width = WIDTHS[error.field ?? ""] ?? 1;
  const end =
    error.reason === "trailing-bytes"
      ? payload.length
      : Math.ceil(((error.offset + width) * 8) / 6);
  return {
    message,
    payload,
    start: Math.min(Math.floor((error.offset * 8) / 6), payload.length),
    end: Math.min(end, payload.length),
  };
};
