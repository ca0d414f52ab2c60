/** Payloads that a decoder refuses, with the reason and the place. */
import {
  EMPTY4,
  EMPTY5,
  EMPTY6,
  padded,
  some,
  someMasteries,
  streamOf,
  uint32,
  unpadded,
} from "./bytes.ts";

interface RefusedCase {
  readonly id: string;
  readonly why: string;
  readonly payload: string;
  readonly error: {
    readonly reason: string;
    readonly unit: "character" | "byte";
    readonly offset: number;
    readonly field?: string;
  };
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const SMALL6 = {
  ...EMPTY6,
  class: 3,
  hashes: some(3),
  extendedHashes: [7],
  masteries: someMasteries(2),
};
const SMALL5 = { ...EMPTY5, class: 2, hashes: some(2), extendedHashes: some(2) };
const SMALL4 = { ...EMPTY4, class: 1, fullscreen: 1 as const, hashes: some(3) };

/** The field in which a stream of `size` bytes breaks off. */
const fieldAt = (stream: ReadonlyArray<number>, size: number): string => {
  if (size < 4) return "version";
  if (size < 5) return "class";
  if (size < 6) return "ascendancy";
  if (stream[3] === 4) return size < 7 ? "fullscreen" : "hashes";
  const extendedAt = 7 + stream[6]! * 2;
  if (size < 7 || size < extendedAt) return "hashes";
  const masteriesAt = extendedAt + 1 + (stream[extendedAt] ?? 0) * 2;
  return size <= extendedAt || size < masteriesAt ? "extendedHashes" : "masteries";
};

const place =
  (unit: "byte" | "character") =>
  (reason: string, offset: number, field?: string): RefusedCase["error"] => ({
    reason,
    unit,
    offset,
    ...(field === undefined ? {} : { field }),
  });
const inBytes = place("byte");
const inText = place("character");

/** All refused cases. */
export const refused = (): ReadonlyArray<RefusedCase> => {
  const cases: Array<RefusedCase> = [];
  const add = (id: string, why: string, payload: string, error: RefusedCase["error"]) =>
    cases.push({ id, why, payload, error });
  for (const version of [0, 1, 2, 3, 7, 8, 9, 255, 256, 1_280, 65_536, 100_663_296, 4_294_967_295])
    add(
      `version-${version}`,
      `Version ${version} is not specified; only 4, 5 and 6 are.`,
      padded([...uint32(version), 0, 0, 0, 0, 0]),
      inBytes("unknown-version", 0, "version"),
    );
  add(
    "little-endian",
    "The version 6 with its low byte first: numbers are big-endian.",
    padded([6, 0, 0, 0, 0, 0, 0, 0, 0]),
    inBytes("unknown-version", 0, "version"),
  );
  add(
    "build-code",
    "zlib data, as build planners export it: its first four bytes are no known version.",
    padded([0x78, 0xda, 0xed, 0x55, 0x5b, 0x6f, 0xdb, 0x36, 0x14]),
    inBytes("unknown-version", 0, "version"),
  );

  for (const link of [SMALL6, SMALL5, SMALL4]) {
    const stream = streamOf(link);
    for (let size = 0; size < stream.length; size++) {
      const isWhole4 = link.version === 4 && size >= 7;
      if (isWhole4 && size % 2 === 1) continue;
      const prefix = stream.slice(0, size);
      const field = fieldAt(stream, size);
      add(
        `v${link.version}-bytes-${size}`,
        isWhole4
          ? `${size} bytes of version 4 end with half a hash.`
          : `The stream ends after ${size} of ${stream.length} bytes, in ${field}.`,
        padded(prefix),
        isWhole4 ? inBytes("odd-tail", size - 1, "hashes") : inBytes("truncated", size, field),
      );
    }
    if (link.version === 4) continue;
    const text = unpadded(stream);
    for (let end = 1; end < text.length; end++) {
      const size = (end * 6) >> 3;
      const spare = (end * 6) % 8;
      const last = ALPHABET.indexOf(text[end - 1]!);
      const isCutInByte = spare === 6 || last % 2 ** spare !== 0;
      if (!isCutInByte) continue;
      const field = fieldAt(stream, size);
      add(
        `v${link.version}-characters-${end}`,
        `The text was cut off at character ${end}, inside a byte: what is left is no whole link.`,
        text.slice(0, end),
        inText("truncated", end, field),
      );
    }
    for (const surplus of [[0], [255], [0, 0], [1, 2, 3], some(9).map((hash) => hash % 256)])
      add(
        `v${link.version}-surplus-${surplus.length}-${surplus[0]}`,
        `${surplus.length} bytes stand behind the last list, where the link is over.`,
        padded([...stream, ...surplus]),
        inBytes("trailing-bytes", stream.length),
      );
  }
  for (let count = 1; count < 256; count += 23)
    for (const [name, head] of [
      ["hashes", []],
      ["extendedHashes", [0]],
      ["masteries", [0, 0]],
    ] as const) {
      const stream = [...uint32(6), 0, 0, ...head, count];
      add(
        `claim-${name}-${count}`,
        `${name} claims ${count} entries, and the stream has none of them.`,
        padded(stream),
        inBytes("truncated", stream.length, name),
      );
    }
  for (const fullscreen of [2, 3, 16, 127, 128, 254, 255])
    add(
      `fullscreen-${fullscreen}`,
      `The fullscreen byte is ${fullscreen}; it is 0 or 1.`,
      padded([...uint32(4), 0, 0, fullscreen]),
      inBytes("invalid-fullscreen", 6, "fullscreen"),
    );

  const sound = unpadded(streamOf(SMALL6));
  for (let code = 0; code < 256; code++) {
    const character = String.fromCharCode(code);
    if (ALPHABET.includes(character) || character === "=") continue;
    const at = code % sound.length;
    const name =
      code > 32 && code < 127
        ? `“${character}”`
        : `U+${code.toString(16).padStart(4, "0").toUpperCase()}`;
    const why = {
      "+": "“+” belongs to the standard alphabet; base64url has “-”.",
      "/": "“/” belongs to the standard alphabet; base64url has “_”.",
      " ": "A space inside a payload is not skipped.",
      "\n": "A line break inside a payload is not skipped.",
    }[character];
    add(
      `character-${code}`,
      why ?? `${name} is not in the base64url alphabet.`,
      sound.slice(0, at) + character + sound.slice(at + 1),
      inText("invalid-character", at),
    );
  }
  for (const [code, what] of [
    [0x141, "whose low byte is “A”"],
    [0x12d, "whose low byte is “-”"],
    [0x2010, "a hyphen"],
    [0xff21, "a full-width “A”"],
    [0xd83d, "half of a surrogate pair"],
    [0xfeff, "a byte order mark"],
  ] as const)
    for (const at of [0, 5, sound.length - 1])
      add(
        `character-${code}-${at}`,
        `U+${code.toString(16).toUpperCase().padStart(4, "0")}, ${what}, is not in the alphabet.`,
        sound.slice(0, at) + String.fromCharCode(code) + sound.slice(at + 1),
        inText("invalid-character", at),
      );

  // Streams whose length leaves one or two bytes in the last group, so tail bits exist.
  for (const [link, spare] of [
    [{ ...EMPTY6, hashes: [0xfbef, 0xbeff] }, 4],
    [{ ...EMPTY6, hashes: [1] }, 2],
  ] as const) {
    const text = unpadded(streamOf(link));
    const last = ALPHABET.indexOf(text.at(-1)!);
    for (let bits = 1; bits < 2 ** spare; bits++) {
      const changed = text.slice(0, -1) + ALPHABET[last + bits]!;
      add(
        `tail-bits-${spare}-${bits}`,
        `The last character sets tail bits (${bits}) that no byte uses: a second text of the same link.`,
        changed,
        inText("non-zero-tail-bits", text.length - 1),
      );
      add(
        `tail-bits-${spare}-${bits}-padded`,
        `The same with padding: tail bits ${bits} are not zero.`,
        changed.padEnd(Math.ceil(text.length / 4) * 4, "="),
        inText("non-zero-tail-bits", text.length - 1),
      );
    }
  }
  for (const last of "ABQgw-_")
    add(
      `one-more-${last}`,
      `A whole link and one character more, “${last}”: no base64url text has this length.`,
      `${unpadded(streamOf(EMPTY6))}${last}`,
      inText("invalid-length", 12),
    );
  const whole = unpadded(streamOf(EMPTY6));
  for (const count of [1, 2, 3, 4, 8])
    add(
      `padding-surplus-${count}`,
      `${count} “=” behind a text whose length is a multiple of four, which needs none.`,
      whole + "=".repeat(count),
      inText("invalid-padding", 12),
    );
  const two = unpadded(streamOf({ ...EMPTY6, hashes: [0xfbef, 0xbeff] }));
  const one = unpadded(streamOf({ ...EMPTY6, hashes: [1] }));
  for (const [id, text, why] of [
    ["one-of-two", `${two}=`, "One “=” where two are needed."],
    ["three-for-two", `${two}===`, "Three “=” where two are needed."],
    ["two-for-one", `${one}==`, "Two “=” where one is needed."],
    ["five-for-one", `${one}=====`, "Five “=” where one is needed."],
  ] as const)
    add(`padding-${id}`, why, text, inText("invalid-padding", text.indexOf("=")));
  for (const at of [0, 4, 6, 10])
    add(
      `padding-inside-${at}`,
      `“=” at character ${at}, with text behind it.`,
      `${whole.slice(0, at)}=${whole.slice(at + 1)}`,
      inText("invalid-padding", at),
    );
  return cases;
};
