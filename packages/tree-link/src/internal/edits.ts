/**
 * Single edits of a canonical payload, by the rule of the format that they test. Most results are
 * not links. `nearlyPayload` and the fuzz kit use these edits.
 */
import type { Flag } from "../Vectors.ts";
import { ALPHABET, copyBytes, toPaddedText, wholeBytes } from "./base64url.ts";

/**
 * Changes a payload at an index. An index beyond the end is clamped, wraps around, or changes
 * nothing, depending on the edit.
 */
export type Edit = (payload: string, at: number) => string;

type Bytes = ReadonlyArray<number>;
type BytesChange = (bytes: Bytes, at: number) => Bytes;
type CharacterChange = (old: string, at: number) => string;

const splice = (text: string, at: number, length: number, inserted: string): string =>
  text.slice(0, at) + inserted + text.slice(at + length);

/** Makes an edit of the characters before the padding. Clamps the index. */
const inBody =
  (change: (body: string, at: number) => string): Edit =>
  (payload, at) => {
    const body = payload.replace(/={1,2}$/u, "");
    const place = Math.min(at, Math.max(0, body.length - 1));
    return change(body, place) + payload.slice(body.length);
  };

/** Makes an edit of the bytes that the payload encodes. The result is canonical base64url. */
const inBytes =
  (change: BytesChange): Edit =>
  (payload, at) => {
    // Drops foreign characters, which an earlier edit may have inserted.
    const text = wholeBytes(payload.replace(/[^\w-]/gu, ""));
    return toPaddedText(change([...copyBytes(text)], at));
  };

const setByte = (bytes: Bytes, at: number, value: number): Bytes =>
  at < bytes.length ? bytes.with(at, value & 255) : bytes;

/** Makes an edit of one byte. The index wraps around. */
const inByte = (change: (byte: number, at: number) => number): Edit =>
  inBytes((bytes, at) => setByte(bytes, at % bytes.length, change(bytes[at % bytes.length]!, at)));

/** Characters outside the alphabet that decoders may accept, skip or stop at, by rule. */
const FOREIGN: Readonly<Partial<Record<Flag, ReadonlyArray<string>>>> = {
  white: [..." \t\n\r\v\f\u00a0\u0085\u1680\u2009\u2028\u2029\u3000", "\r\n"],
  invisible: [..."\ufeff\u200b\u200c\u200d\u00ad\u2060\u200e\u0001\u001b\u001e\u007f"],
  stop: [..."\0=#?&;,\u001a\"'<>"],
  alphabet: [..."+/.~:!*@[`{^|$%()\\}]"],
  // Characters with a low byte in the alphabet, look-alikes, digits of other scripts, letters that
  // change case into ASCII, surrogates alone and in pairs.
  unicode: [
    ..."\u0141\u0241\u4141\uff21\uff11\uff0d\uff3f\u00c1\u00ff\u00e9\u0410\u0391\u2010\u2013",
    ..."\u2212\u203f\u0660\u0966\u017f\u212a\u0131\ud835\udc00\u{1f600}",
    "A\u0301",
  ],
};

/** Texts around a payload, which replaces `…`. A codec must not search them for the payload. */
const AROUND: Readonly<Partial<Record<Flag, ReadonlyArray<string>>>> = {
  url: [
    ..."passive-skill-tree/… 3.26.0/… /… …/ …?accountName=x …#x #… data:;base64,… v=…".split(" "),
    "https://www.example.com/passive-skill-tree/…",
  ],
  stop: ['"…"', "<…>", "…\0AAAA", "… and more", "…\nAAAABgAAAAAA"],
  white: [" … ", "…\n\n"],
  trailing: ["AAAA…", "…A", "…AA", "…AAAA", "…AA=="],
  padding: ["…=", "…==", "…===", "…====", "=…", "====…", "…%3D", "…=A", "…= ="],
};

const LOW_VERSIONS = [0, 1, 2, 3, 7, 8, 9, 16, 52, 53, 54, 60, 61, 64, 127, 128, 132, 134, 255];
const HIGH_VERSIONS = [0, 1, 2].flatMap((at) => [1, 2, 6, 16, 128, 255].map((to) => [at, to]));
const SEVENTH_BYTES = [0, 1, 2, 3, 4, 16, 127, 128, 129, 254, 255];
const SURPLUS = ["0", "255", "10", "0 0", "0 0 0", "0 0 0 0", "1 2 3 4 5", "0 0 0 0 0 0 0 0"];
const PADDINGS = ["", "=", "==", "===", "====", "%3D", "%253D", ".", "..", "-", "= ", "=\n", "=A"];
const DASHES = [..."\u2010\u2013\u2014\u2212\uff0d"];
const CODE_UNITS = [0x80, 0x100, 0x200, 0x1000, 0x8000, 0xfee0];
const TAILS = [1, 2, 3, 4, 8, 12, 15, 16, 32, 63];

/** Adds to the count of one list. In version 4, adds to the fullscreen byte instead. */
const raiseCount = (bytes: Bytes, at: number, more: number): Bytes => {
  const extended = 7 + 2 * (bytes[6] ?? 0);
  const masteries = extended + 1 + 2 * (bytes[extended] ?? 0);
  const places = [6, extended, masteries].slice(0, (bytes[3] ?? 6) - 3);
  const place = places[at % places.length] ?? 6;
  return setByte(bytes, place, (bytes[place] ?? 0) + more);
};

/** Makes an edit that replaces one character before the padding. */
const replace = (change: CharacterChange): Edit =>
  inBody((body, at) => splice(body, at, 1, change(body.charAt(at), at)));
const exchange = inBody((body, at) => splice(body, at, 2, body.charAt(at + 1) + body.charAt(at)));
const swapCase = (text: string): string =>
  text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase();
const insert =
  (text: string): Edit =>
  (payload, at) =>
    splice(payload, at % (payload.length + 1), 0, text);
const flipTail = (bits: number): Edit =>
  inBody((body) => body.slice(0, -1) + ALPHABET[ALPHABET.indexOf(body.at(-1)!) ^ bits]!);
const setByteAt = (at: number, value: number): Edit =>
  inBytes((bytes) => setByte(bytes, at, value));

const insertOrReplace = (texts: ReadonlyArray<string> = []): ReadonlyArray<Edit> =>
  texts.flatMap((text) => [insert(text), replace(() => text)]);
const around = (frames: ReadonlyArray<string> = []): ReadonlyArray<Edit> =>
  frames.map((frame) => (payload) => frame.replace("…", () => payload));

/** All edits, by the rule of the format that they test. */
export const EDITS: Readonly<Partial<Record<Flag, ReadonlyArray<Edit>>>> = {
  white: [...insertOrReplace(FOREIGN.white), ...around(AROUND.white)],
  invisible: insertOrReplace(FOREIGN.invisible),
  stop: [...insertOrReplace(FOREIGN.stop), ...around(AROUND.stop)],
  alphabet: [
    ...insertOrReplace(FOREIGN.alphabet),
    (text) => text.replaceAll("-", "+").replaceAll("_", "/"),
  ],
  unicode: [
    ...insertOrReplace(FOREIGN.unicode),
    (text) => text.replaceAll("_", "\uff3f"),
    ...DASHES.map(
      (dash): Edit =>
        (text) =>
          text.replaceAll("-", dash),
    ),
    ...CODE_UNITS.map((more) => replace((old) => String.fromCharCode(old.charCodeAt(0) + more))),
  ],
  url: around(AROUND.url),
  padding: [
    ...around(AROUND.padding),
    ...[...PADDINGS, "\uff1d"].map(
      (end): Edit =>
        (text) =>
          text.replace(/={0,2}$/u, end),
    ),
    (text, at) => insert("AA==")(text, at & ~3),
  ],
  tail: TAILS.map(flipTail),
  version: [
    ...LOW_VERSIONS.map((low) => setByteAt(3, low)),
    ...HIGH_VERSIONS.map(([at, to]) => setByteAt(at!, to!)),
    // Writes the version as little-endian.
    inBytes((bytes) => bytes.slice(0, 4).toReversed().concat(bytes.slice(4))),
    ...[2, 3].map((count) => inBytes((bytes) => bytes.slice(count))),
    // Changes the version, so that the other bytes have the layout of another version.
    inBytes((bytes) => setByte(bytes, 3, bytes[3] === 6 ? 5 : bytes[3]! + 1)),
    inBytes((bytes) => setByte(bytes, 3, bytes[3]! - 2)),
  ],
  fullscreen: SEVENTH_BYTES.map((value) => setByteAt(6, value)),
  count: [1, 2, -1, 4, 64, 128].map((more) => inBytes((bytes, at) => raiseCount(bytes, at, more))),
  trailing: [
    ...around(AROUND.trailing),
    ...SURPLUS.map((rest) => inBytes((bytes) => [...bytes, ...rest.split(" ").map(Number)])),
    inBytes((bytes, at) => bytes.toSpliced(at % bytes.length, 0, at)),
    inBytes((bytes) => [...bytes, ...bytes]),
  ],
  truncated: [
    replace(() => ""),
    ...[1, 2, 3, 4, 5].map((count) => inBytes((bytes) => bytes.slice(0, -count))),
    inBytes((bytes, at) => bytes.slice(0, at % bytes.length)),
    inBytes((bytes, at) => bytes.toSpliced(at % bytes.length, 1)),
  ],
  value: [
    replace(swapCase),
    exchange,
    replace((_, at) => ALPHABET[(at * 7 + 11) & 63]!),
    inByte(() => 255),
    inByte(() => 0),
    inByte((byte, at) => byte ^ (1 << (at & 7))),
  ],
};

const JSON_AND_GROUPS =
  "= == ==== A AA AAA AAAA A=== AA== AAAABg AAAABgAA null undefined [] {} 0 AAAAAAAAAAAA ____ ----";

/** Short texts that are not payloads. */
export const TINY: ReadonlyArray<string> = ["", ...JSON_AND_GROUPS.split(" "), " "];
