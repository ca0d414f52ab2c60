/**
 * Finds `next_change_id` in the first bytes of a page, so that the next request can start while the
 * page still arrives.
 *
 * The specification promises no key order, so this is a hint: advisory, never committed. A key
 * counts only as a member of the top-level object; item texts may hold the same word. A number
 * counts only when the byte after it has arrived.
 */
import type { Coding } from "@game-data/contract/inflate";
import { COMPRESSED_HEAD_BYTES, inflateHead } from "./inflateHead.ts";

/** Inflated bytes that are searched at most. */
const HEAD_BYTES = 64 * 1024;

const KEY = '"next_change_id"';

/** The id in `bytes`, which may break off anywhere; `undefined` where it is not visible yet. */
export const scanNextId = (bytes: Uint8Array): string | undefined => {
  const text = Buffer.from(
    bytes.buffer,
    bytes.byteOffset,
    Math.min(bytes.length, HEAD_BYTES),
  ).toString("latin1");
  let depth = 0;
  for (const found of text.matchAll(TOKEN)) {
    const [token] = found;
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    else if (depth === 1 && token === KEY) {
      const rest = text.slice(found.index + token.length);
      const [colon, , string, number] = VALUE.exec(rest) ?? [];
      if (string !== undefined) return unescape(string);
      // A number, or one that is cut off. Without a colon it is a text that is no key.
      if (colon !== undefined) return number;
    }
  }
  return undefined;
};

/** A string, also one that is cut off, or a bracket. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\]]/gsu;

/** What follows a key: a colon, with a whole string or a number whose end is there. */
const VALUE = /^\s*:(\s*(?:("[^"\\]*(?:\\.[^"\\]*)*")|(\d{1,16})(?=[\s,}])))?/su;

const unescape = (literal: string): string | undefined => {
  try {
    return JSON.parse(Buffer.from(literal, "latin1").toString("utf8")) as string;
  } catch {
    return undefined;
  }
};

/**
 * Searches a growing body. Each search starts from the first byte, so a search is made only when
 * the head has doubled since the last one: a body that arrives in drops costs no more than one that
 * arrives at once, up to a factor of two.
 */
export class NextIdScanner {
  private nextLook = 1;
  private found: string | undefined;
  private readonly encoding: string;
  private readonly codings: ReadonlyArray<Coding> | undefined;
  constructor(encoding: string, codings?: ReadonlyArray<Coding>) {
    this.encoding = encoding;
    this.codings = codings;
  }
  /** The id, once it is visible in the `length` bytes that `head` can give. */
  look(length: number, head: () => Uint8Array): string | undefined {
    if (this.found !== undefined || length < this.nextLook) return this.found;
    const compressed = this.encoding !== "" && this.encoding !== "identity";
    this.nextLook =
      length >= (compressed ? COMPRESSED_HEAD_BYTES : HEAD_BYTES) ? Infinity : length * 2;
    const inflated = inflateHead(head(), this.encoding, this.codings);
    this.found = inflated === undefined ? undefined : scanNextId(inflated);
    return this.found;
  }
}
