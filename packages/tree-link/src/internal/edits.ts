/**
 * Single edits of a canonical payload: what `nearlyPayload`, the fuzz kit and the vectors are made
 * of. Each edit breaks one rule of the format, and most results are no link.
 */
import type { Flag } from "../Vectors.ts";
import { ALPHABET } from "./Base64Url.ts";

/** Changes a payload at a place: any natural number, taken as far as the payload goes. */
export interface Edit {
  readonly flag: Flag;
  /** What the edit did, as the beginning of a sentence. */
  readonly note: string;
  readonly apply: (payload: string, at: number) => string;
}

const codes = (text: string) =>
  [...text].map((one) => `U+${one.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`);

/** Characters outside the alphabet, each for a mistake that decoders make with it. */
const ODD: Readonly<Partial<Record<Flag, ReadonlyArray<string>>>> = {
  white: [..." \t\n\r\v\f\u00a0\u0085\u1680\u2009\u2028\u2029\u3000", "\r\n"],
  invisible: [..."\ufeff\u200b\u200c\u200d\u00ad\u2060\u200e\u0001\u001b\u001e\u007f"],
  stop: [..."\0=#?&;,\u001a\"'<>"],
  alphabet: [..."+/.~:!*@[`{^|$%()\\}]"],
  // Low bytes in the alphabet, look-alikes, digits of other scripts, letters that change case into
  // ASCII, surrogates alone and in pairs.
  unicode: [
    ..."\u0141\u0241\u4141\uff21\uff11\uff0d\uff3f\u00c1\u00ff\u00e9\u0410\u0391",
    ..."\u2010\u2013\u2212\u203f\u0660\u0966\u017f\u212a\u0131\ud835\udc00\u{1f600}",
    "A\u0301",
  ],
};

const near = (payload: string, at: number) => at % (payload.length + 1);

const splice = (text: string, at: number, length: number, inserted: string) =>
  text.slice(0, at) + inserted + text.slice(at + length);

/** The payload without its padding, and the padding. */
const halves = (payload: string): readonly [body: string, padding: string] => {
  const end = payload.search(/={0,2}$/u);
  return [payload.slice(0, end), payload.slice(end)];
};

const inBody =
  (change: (body: string, at: number) => string): Edit["apply"] =>
  (payload, at) => {
    const [body, padding] = halves(payload);
    return change(body, Math.min(at, Math.max(0, body.length - 1))) + padding;
  };

const insertions: ReadonlyArray<Edit> = Object.entries(ODD).flatMap(([flag, characters]) =>
  characters.map((character) => ({
    flag: flag as Flag,
    note: `${codes(character).join(" ")} inserted`,
    apply: (payload, at) => splice(payload, near(payload, at), 0, character),
  })),
);

const replacements: ReadonlyArray<Edit> = Object.entries(ODD).flatMap(([flag, characters]) =>
  characters.map((character) => ({
    flag: flag as Flag,
    note: `${codes(character).join(" ")} instead of a character`,
    apply: inBody((body, at) => splice(body, at, 1, character)),
  })),
);

/** Code units whose low bits are those of the character that stood there. */
const aliases: ReadonlyArray<Edit> = [0x80, 0x100, 0x200, 0x1000, 0x8000, 0xfee0].map((more) => ({
  flag: "unicode",
  note: `A code unit raised by ${more}`,
  apply: inBody((body, at) => {
    const raised = String.fromCharCode(body.charCodeAt(at) + more);
    return splice(body, at, 1, raised);
  }),
}));

const swapCase = (text: string) =>
  text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase();

const characters: ReadonlyArray<Edit> = [
  {
    flag: "truncated",
    note: "A character left out",
    apply: inBody((body, at) => splice(body, at, 1, "")),
  },
  {
    flag: "value",
    note: "A letter in the other case",
    apply: inBody((body, at) => splice(body, at, 1, swapCase(body.charAt(at)))),
  },
  {
    flag: "value",
    note: "Two characters exchanged",
    apply: inBody((body, at) => splice(body, at, 2, body.charAt(at + 1) + body.charAt(at))),
  },
  {
    flag: "alphabet",
    note: "The characters of standard base64",
    apply: (payload) => payload.replaceAll("-", "+").replaceAll("_", "/"),
  },
  ...["\u2010", "\u2013", "\u2014", "\u2212", "\uff0d"].map((dash) => ({
    flag: "unicode" as const,
    note: `${codes(dash).join("")} for each -`,
    apply: (payload: string) => payload.replaceAll("-", dash),
  })),
  {
    flag: "unicode",
    note: "Full-width _ for each _",
    apply: (payload) => payload.replaceAll("_", "\uff3f"),
  },
  {
    flag: "value",
    note: "Another character of the alphabet",
    apply: inBody((body, at) => splice(body, at, 1, ALPHABET[(at * 7 + 11) & 63]!)),
  },
];

const tails: ReadonlyArray<Edit> = [1, 2, 3, 4, 8, 12, 15, 16, 32, 63].map((bits) => ({
  flag: "tail",
  note: `The last character with other bits (${bits})`,
  apply: inBody((body) => {
    const last = ALPHABET.indexOf(body.charAt(body.length - 1));
    return body.slice(0, -1) + ALPHABET[last ^ bits]!;
  }),
}));

/** Texts around a payload that a codec does not look into: finding a payload is no decoding. */
const AROUND: ReadonlyArray<readonly [Flag, before: string, after: string]> = [
  ["url", "https://www.example.com/passive-skill-tree/", ""],
  ["url", "passive-skill-tree/", ""],
  ["url", "3.26.0/", ""],
  ["url", "/", ""],
  ["url", "", "/"],
  ["url", "", "?accountName=x"],
  ["url", "", "#x"],
  ["url", "#", ""],
  ["url", "data:;base64,", ""],
  ["url", "v=", ""],
  ["stop", '"', '"'],
  ["stop", "<", ">"],
  ["white", " ", " "],
  ["white", "", "\n\n"],
  ["trailing", "AAAA", ""],
  ["trailing", "", "A"],
  ["trailing", "", "AA"],
  ["trailing", "", "AAAA"],
  ["trailing", "", "AA=="],
  ["stop", "", "\0AAAA"],
  ["stop", "", " and more"],
  ["stop", "", "\nAAAABgAAAAAA"],
  ["padding", "", "="],
  ["padding", "", "=="],
  ["padding", "", "==="],
  ["padding", "", "===="],
  ["padding", "=", ""],
  ["padding", "====", ""],
  ["padding", "", "%3D"],
  ["padding", "", "=A"],
  ["padding", "", "\u003d\u0020="],
];

const around: ReadonlyArray<Edit> = AROUND.map(([flag, before, after]) => ({
  flag,
  note: `${JSON.stringify(before)} before and ${JSON.stringify(after)} behind the payload`,
  apply: (payload) => before + payload + after,
}));

const padding: ReadonlyArray<Edit> = [
  ["No padding", ""],
  ["One =", "="],
  ["Two =", "=="],
  ["Three =", "==="],
  ["Four =", "===="],
  ["Escaped padding", "%3D"],
  ["Twice escaped padding", "%253D"],
  ["A dot for padding", "."],
  ["Two dots for padding", ".."],
  ["A - for padding", "-"],
  ["= and a space", "= "],
  ["= and a line feed", "=\n"],
  ["A behind =", "=A"],
  ["Full-width padding", "\uff1d"],
].map(([note, end]) => ({
  flag: "padding",
  note: `${note!} at the end`,
  apply: (payload) => halves(payload)[0] + end!,
}));

const within: Edit = {
  flag: "padding",
  note: "Padding inside the payload",
  apply: (payload, at) => splice(payload, near(payload, at) & ~3, 0, "AA=="),
};

/** Edits of the text. */
export const TEXT_EDITS: ReadonlyArray<Edit> = [
  ...insertions,
  ...replacements,
  ...aliases,
  ...characters,
  ...tails,
  ...around,
  ...padding,
  within,
];

const JSON_AND_GROUPS =
  "= == ==== A AA AAA AAAA A=== AA== AAAABg AAAABgAA null undefined [] {} 0 AAAAAAAAAAAA ____ ----";

/** Texts that are nowhere near a payload. */
export const TINY: ReadonlyArray<string> = ["", ...JSON_AND_GROUPS.split(" "), " "];
