/**
 * Single edits of a canonical payload, as a table. Each edit breaks one rule of the format, and most
 * results are not links. `nearlyPayload`, the fuzz kit and the vectors use them.
 */
import type { Flag } from "../Vectors.ts";
import { ALPHABET, copyBytes, toPaddedText, wholeBytes } from "./base64url.ts";

/** Changes a payload at a place. Any natural number is a place. */
export interface Edit {
  readonly flag: Flag;
  /** What the edit did, as the beginning of a sentence. */
  readonly note: string;
  readonly apply: (payload: string, at: number) => string;
}

const splice = (text: string, at: number, length: number, inserted: string) =>
  text.slice(0, at) + inserted + text.slice(at + length);

/** Edits the characters before the padding. */
const inBody =
  (change: (body: string, at: number) => string): Edit["apply"] =>
  (payload, at) => {
    const body = payload.replace(/={1,2}$/u, "");
    const place = Math.min(at, Math.max(0, body.length - 1));
    return change(body, place) + payload.slice(body.length);
  };

type Bytes = ReadonlyArray<number>;

/** Edits the bytes. The text stays canonical base64url. */
const inBytes =
  (change: (bytes: Bytes, at: number) => Bytes): Edit["apply"] =>
  (payload, at) => {
    // An earlier edit may have left foreign characters.
    const text = wholeBytes(payload.replace(/[^\w-]/gu, ""));
    return toPaddedText(change([...copyBytes(text)], at));
  };

const setByte = (bytes: Bytes, at: number, value: number) =>
  at < bytes.length ? bytes.with(at, value & 255) : bytes;

/** Edits of one kind: a flag, values, a note with `$` for the value, and the edit for a value. */
type Row<A> = readonly [Flag, ReadonlyArray<A>, note: string, apply: (value: A) => Edit["apply"]];

const show = (value: unknown): string =>
  typeof value === "string" && !/^\w/u.test(value)
    ? Array.from(value, (one) => `U+${one.codePointAt(0)!.toString(16).padStart(4, "0")}`).join(" ")
    : String(value);

const row = <A>(...[flag, values, note, apply]: Row<A>): ReadonlyArray<Edit> =>
  values.map((value) => ({ flag, note: note.replace("$", show(value)), apply: apply(value) }));

/** One edit without a value. */
const one = (flag: Flag, note: string, apply: Edit["apply"]) => row(flag, [""], note, () => apply);

/** Characters outside the alphabet, each for a mistake that decoders make with it. */
const FOREIGN: Readonly<Partial<Record<Flag, ReadonlyArray<string>>>> = {
  white: [..." \t\n\r\v\f\u00a0\u0085\u1680\u2009\u2028\u2029\u3000", "\r\n"],
  invisible: [..."\ufeff\u200b\u200c\u200d\u00ad\u2060\u200e\u0001\u001b\u001e\u007f"],
  stop: [..."\0=#?&;,\u001a\"'<>"],
  alphabet: [..."+/.~:!*@[`{^|$%()\\}]"],
  // Low bytes in the alphabet, look-alikes, digits of other scripts, letters that change case into
  // ASCII, surrogates alone and in pairs.
  unicode: [
    ..."\u0141\u0241\u4141\uff21\uff11\uff0d\uff3f\u00c1\u00ff\u00e9\u0410\u0391\u2010\u2013",
    ..."\u2212\u203f\u0660\u0966\u017f\u212a\u0131\ud835\udc00\u{1f600}",
    "A\u0301",
  ],
};
const foreign = Object.entries(FOREIGN) as ReadonlyArray<[Flag, ReadonlyArray<string>]>;

/** Text around a payload, which is `…`. A codec does not look for the payload in it. */
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
const around = Object.entries(AROUND) as ReadonlyArray<[Flag, ReadonlyArray<string>]>;

const PADDINGS = ["", "=", "==", "===", "====", "%3D", "%253D", ".", "..", "-", "= ", "=\n", "=A"];
const LOW_VERSIONS = [0, 1, 2, 3, 7, 8, 9, 16, 52, 53, 54, 60, 61, 64, 127, 128, 132, 134, 255];
const HIGH_VERSIONS = [0, 1, 2].flatMap((at) => [1, 2, 6, 16, 128, 255].map((to) => [at, to]));
const SURPLUS = ["0", "255", "10", "0 0", "0 0 0", "0 0 0 0", "1 2 3 4 5", "0 0 0 0 0 0 0 0"];
const DASHES = [..."\u2010\u2013\u2014\u2212\uff0d"];

const swapCase = (text: string) =>
  text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase();

/** Places of the counts. Version 4 has the fullscreen byte there. */
const countsOf = (bytes: Bytes): Bytes => {
  const extended = 7 + 2 * (bytes[6] ?? 0);
  const masteries = extended + 1 + 2 * (bytes[extended] ?? 0);
  return bytes[3] === 4 ? [6] : bytes[3] === 5 ? [6, extended] : [6, extended, masteries];
};
const raiseCount = (bytes: Bytes, at: number, more: number): Bytes => {
  const places = countsOf(bytes);
  const place = places[at % places.length]!;
  return setByte(bytes, place, (bytes[place] ?? 0) + more);
};

/** Replaces the character at a place. */
const replace = (change: (old: string, at: number) => string) =>
  inBody((body, at) => splice(body, at, 1, change(body.charAt(at), at)));
const exchange = inBody((body, at) => splice(body, at, 2, body.charAt(at + 1) + body.charAt(at)));
const insert =
  (text: string): Edit["apply"] =>
  (payload, at) =>
    splice(payload, at % (payload.length + 1), 0, text);
const turnTail = (bits: number) =>
  inBody((body) => body.slice(0, -1) + ALPHABET[ALPHABET.indexOf(body.at(-1)!) ^ bits]!);
const changeByte = (change: (byte: number, at: number) => number) =>
  inBytes((all, at) => setByte(all, at % all.length, change(all[at % all.length]!, at)));
const setVersion = (change: (low: number) => number) =>
  inBytes((bytes) => setByte(bytes, 3, change(bytes[3]!)));

/** All edits. */
export const EDITS: ReadonlyArray<Edit> = [
  ...foreign.flatMap(([flag, all]) => row(flag, all, "$ inserted", insert)),
  ...foreign.flatMap(([flag, all]) =>
    row(flag, all, "$ instead of a character", (text) => replace(() => text)),
  ),
  ...around.flatMap(([flag, all]) =>
    row(
      flag,
      all,
      "Text around the payload: $",
      (frame) => (text) => frame.replace("…", () => text),
    ),
  ),
  ...row(
    "padding",
    [...PADDINGS, "\uff1d"],
    "The padding $",
    (end) => (payload) => payload.replace(/={0,2}$/u, end),
  ),
  ...one("padding", "Padding inside the payload", (payload, at) =>
    insert("AA==")(payload, at & ~3),
  ),
  ...one(
    "truncated",
    "A character left out",
    replace(() => ""),
  ),
  ...one("value", "A letter in the other case", replace(swapCase)),
  ...one("value", "Two characters exchanged", exchange),
  ...one(
    "value",
    "Another character of the alphabet",
    replace((_, at) => ALPHABET[(at * 7 + 11) & 63]!),
  ),
  ...one("alphabet", "The characters of standard base64", (payload) =>
    payload.replaceAll("-", "+").replaceAll("_", "/"),
  ),
  ...one("unicode", "Full-width _ for each _", (payload) => payload.replaceAll("_", "\uff3f")),
  ...row("unicode", DASHES, "$ for each -", (dash) => (payload) => payload.replaceAll("-", dash)),
  ...row(
    "unicode",
    [0x80, 0x100, 0x200, 0x1000, 0x8000, 0xfee0],
    "A code unit raised by $",
    (more) => replace((old) => String.fromCharCode(old.charCodeAt(0) + more)),
  ),
  ...row(
    "tail",
    [1, 2, 3, 4, 8, 12, 15, 16, 32, 63],
    "Other bits of the last character ($)",
    turnTail,
  ),
  ...row("version", LOW_VERSIONS, "The version byte $", (low) => setVersion(() => low)),
  ...row("version", HIGH_VERSIONS, "A high version byte (place and value: $)", ([at, to]) =>
    inBytes((bytes) => setByte(bytes, at!, to!)),
  ),
  ...one(
    "version",
    "A version in little-endian order",
    inBytes((bytes) => [...bytes.slice(0, 4).toReversed(), ...bytes.slice(4)]),
  ),
  ...row("version", [2, 3], "A version without its first $ bytes", (less) =>
    inBytes((bytes) => bytes.slice(less)),
  ),
  ...one(
    "version",
    "The version of another layout",
    setVersion((low) => (low === 6 ? 5 : low + 1)),
  ),
  ...one(
    "version",
    "The version two lower",
    setVersion((low) => low - 2),
  ),
  ...row(
    "fullscreen",
    [0, 1, 2, 3, 4, 16, 127, 128, 129, 254, 255],
    "The seventh byte $",
    (value) => inBytes((bytes) => setByte(bytes, 6, value)),
  ),
  ...row("count", [1, 2, -1, 4, 64, 128], "A count with $ more", (more) =>
    inBytes((bytes, at) => raiseCount(bytes, at, more)),
  ),
  ...row("trailing", SURPLUS, "Bytes $ after the last list", (more) =>
    inBytes((bytes) => [...bytes, ...more.split(" ").map(Number)]),
  ),
  ...one(
    "trailing",
    "A byte inserted",
    inBytes((all, at) => all.toSpliced(at % all.length, 0, at)),
  ),
  ...one(
    "trailing",
    "The bytes twice",
    inBytes((bytes) => [...bytes, ...bytes]),
  ),
  ...row("truncated", [1, 2, 3, 4, 5], "The last $ bytes cut off", (less) =>
    inBytes((all) => all.slice(0, -less)),
  ),
  ...one(
    "truncated",
    "Cut off",
    inBytes((bytes, at) => bytes.slice(0, at % bytes.length)),
  ),
  ...one(
    "truncated",
    "A byte left out",
    inBytes((bytes, at) => bytes.toSpliced(at % bytes.length, 1)),
  ),
  ...row("value", [255, 0], "A byte of $", (value) => changeByte(() => value)),
  ...one(
    "value",
    "A bit turned",
    changeByte((byte, at) => byte ^ (1 << (at & 7))),
  ),
];

const JSON_AND_GROUPS =
  "= == ==== A AA AAA AAAA A=== AA== AAAABg AAAABgAA null undefined [] {} 0 AAAAAAAAAAAA ____ ----";

/** Texts that are nowhere near a payload. */
export const TINY: ReadonlyArray<string> = ["", ...JSON_AND_GROUPS.split(" "), " "];
