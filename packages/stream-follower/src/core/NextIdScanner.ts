/**
 * Finds `next_change_id` in the first bytes of a page, so that the next request can start while the
 * page still arrives.
 *
 * The specification promises no key order, so this is a hint: advisory, never committed. A key
 * counts only as a member of the top-level object; item texts may hold the same word. A number
 * counts only when the byte after it has arrived.
 */
import { type Coding, COMPRESSED_HEAD_BYTES, inflateHead } from "@game-data/contract/inflate";

/** Inflated bytes that are searched at most. */
const HEAD_BYTES = 64 * 1024;

const KEY = "next_change_id";

/** The id in `bytes`, which may break off anywhere; `undefined` where it is not visible yet. */
export const scanNextId = (bytes: Uint8Array): string | undefined => {
  const text = Buffer.from(
    bytes.buffer,
    bytes.byteOffset,
    Math.min(bytes.length, HEAD_BYTES),
  ).toString("latin1");
  let depth = 0;
  let index = 0;
  while (index < text.length) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      const end = endOfString(text, index);
      if (end === -1) return undefined;
      if (depth === 1 && text.slice(index + 1, end) === KEY) {
        const value = valueAfterColon(text, end + 1);
        if (value !== "notAKey") return value;
      }
      index = end + 1;
      continue;
    }
    if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
    index += 1;
  }
  return undefined;
};

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

const endOfString = (text: string, start: number): number => {
  for (let index = start + 1; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === BACKSLASH) index += 1;
    else if (code === QUOTE) return index;
  }
  return -1;
};

/**
 * The string or number after a key; `undefined` while it is cut off, `notAKey` where no colon
 * follows.
 */
const valueAfterColon = (text: string, start: number): string | "notAKey" | undefined => {
  const colon = /^[ \t\r\n]*(:?)[ \t\r\n]*/.exec(text.slice(start, start + 64));
  if (colon === null || colon[1] === "") {
    return start + (colon?.[0].length ?? 0) >= text.length ? undefined : "notAKey";
  }
  const at = start + colon[0].length;
  if (text.charCodeAt(at) === QUOTE) {
    const end = endOfString(text, at);
    return end === -1 ? undefined : unescape(text.slice(at, end + 1));
  }
  const number = /^\d{1,16}(?=[ \t\r\n,}])/.exec(text.slice(at, at + 32));
  return number === null ? undefined : number[0];
};

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
