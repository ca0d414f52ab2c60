/**
 * Bad input: each case is refused with its reason and its place, on the way in and on the way out.
 */
import {
  decode,
  decodeBytes,
  encode,
  encodeBytes,
  safeDecode,
  type TreeLink,
  TreeLinkError,
} from "@game-data/tree-link";
import { describe, expect, it } from "vitest";
import { LINK, numbers, refusal, thrown } from "./support.ts";

const EMPTY = "AAAABgABAAAA";
const link = decode(EMPTY) as Extract<TreeLink, { version: 6 }>;
const old = { version: 4, class: 0, ascendancy: 0, fullscreen: 0, hashes: [] } as const;

describe("text", () => {
  it.each([
    ["a character outside the alphabet", "AAAABgAB*AAA", "invalid-character", 8],
    ["`+` and `/` of the other alphabet", "AAAABv+-AAAA", "invalid-character", 6],
    ["white space inside", "AAAA BgABAAAA", "invalid-character", 4],
    ["white space behind", "AAAABgABAAAA\n", "invalid-character", 12],
    ["an escaped padding", "AAAABgMCAQABAAA%3D", "invalid-character", 15],
    ["a query", "AAAABgABAAAA?accountName=x", "invalid-character", 12],
    ["U+0141, whose low byte is `A`", "\u0141AAABgABAAAA", "invalid-character", 0],
    ["a lone surrogate", "AAAABgAB\uD83DAAA", "invalid-character", 8],
    ["a NUL", "AAAA\u0000gABAAAA", "invalid-character", 4],
    ["padding in the middle", "AAAABg=ABAAA", "invalid-padding", 6],
    ["padding where none belongs", "AAAABgABAAAA=", "invalid-padding", 12],
    ["a whole group of padding", "AAAABgABAAAA====", "invalid-padding", 12],
    ["too little padding", "AAAABQAAAAA=A", "invalid-padding", 11],
    ["one `=` of two", "AAAABgMCAvvvvv8AAA=", "invalid-padding", 18],
    ["three `=`", "AAAABgMCAvvvvv8AA===", "invalid-length", 16],
    ["a length that leaves a remainder of one", "AAAABgABAAAAA", "invalid-length", 12],
    ["tail bits that are not zero", "AAAABgMCAQABAAB=", "non-zero-tail-bits", 14],
    ["tail bits that are not zero, unpadded", "AAAABgMCAvvvvv8AAB", "non-zero-tail-bits", 17],
  ])("refuses %s [TL-01, NS-35]", (_, payload, reason, offset) => {
    expect(refusal(() => decode(payload))).toBe(`${reason} character ${offset}`);
  });

  it("refuses what is longer than the limit, before it reads it", () => {
    const payload = "A".repeat(1_048_577);
    expect(refusal(() => decode(payload))).toBe("too-long character 1048576");
    const eleven = { maxLength: 11 };
    expect(refusal(() => decode(EMPTY, eleven))).toBe("too-long character 11");
    expect(refusal(() => encode(link, eleven))).toBe("too-long character 11");
    expect(decode(EMPTY, { maxLength: 12 })).toEqual(link);
    expect(encode(link, { maxLength: 12 })).toBe(EMPTY);
    // Every list counts.
    const { length } = encode(LINK, { padding: false });
    expect(encode(LINK, { maxLength: length, padding: false })).toHaveLength(length);
    expect(refusal(() => encode(LINK, { maxLength: length - 1 }))).toContain("too-long");
  });

  it("refuses a link past the limit before it sets memory aside for it", () => {
    // oxlint-disable-next-line unicorn/no-new-array
    const endless = { ...old, hashes: new Array<number>(4_000_000_000) };
    expect(refusal(() => encode(endless))).toBe("too-long character 1048576");
    expect(refusal(() => encodeBytes(endless))).toBe("too-long character 1048576");
    const short = { ...old, hashes: [1] };
    expect(encodeBytes(short, { maxLength: 12 })).toHaveLength(9);
    expect(refusal(() => encodeBytes(short, { maxLength: 11 }))).toBe("too-long character 11");
  });

  it.each([undefined, null, 7, {}, [EMPTY], Symbol("A")])("refuses %s, no text", (value) => {
    expect(refusal(() => decode(value as never))).toBe("invalid-type character 0");
    expect(refusal(() => decodeBytes(value as never))).toBe("invalid-type byte 0");
  });

  it("refuses a limit that is no number instead of ignoring it", () => {
    const nothing = { maxLength: Number.NaN };
    expect(refusal(() => decode(EMPTY, nothing))).toContain("too-long");
    expect(refusal(() => encode(link, nothing))).toContain("too-long");
    expect(decode(EMPTY, { maxLength: "12" as never })).toEqual(link);
  });
});

describe("bytes", () => {
  const read = (...bytes: Array<number>) => refusal(() => decodeBytes(Uint8Array.from(bytes)));

  it.each([
    [0, 0, 0, 2],
    [0, 0, 0, 3],
    [0, 0, 0, 7],
    [0, 0, 0, 255],
    [255, 255, 255, 255],
    // 6 in little-endian.
    [6, 0, 0, 0],
  ])("refuses version %i %i %i %i [TL-02, NS-15, NS-35]", (...version) => {
    expect(read(...version, 0, 0, 0, 0, 0)).toBe("unknown-version byte 0 version");
  });

  it.each([
    [[], "version"],
    [[0, 0, 0], "version"],
    [[0, 0, 0, 6], "class"],
    [[0, 0, 0, 6, 0], "ascendancy"],
    [[0, 0, 0, 6, 0, 0], "hashes"],
    [[0, 0, 0, 4, 0, 0], "fullscreen"],
    [[0, 0, 0, 6, 0, 0, 1], "hashes"],
    [[0, 0, 0, 6, 0, 0, 1, 9], "hashes"],
    [[0, 0, 0, 6, 0, 0, 255, 9, 9], "hashes"],
    [[0, 0, 0, 6, 0, 0, 0], "extendedHashes"],
    [[0, 0, 0, 6, 0, 0, 0, 1, 9], "extendedHashes"],
    [[0, 0, 0, 6, 0, 0, 0, 0], "masteries"],
    [[0, 0, 0, 6, 0, 0, 0, 0, 1, 9, 9, 9], "masteries"],
    [[0, 0, 0, 5, 0, 0, 0], "extendedHashes"],
  ])("refuses the stream %j, which ends in %s [NS-35]", (bytes, field) => {
    expect(read(...bytes)).toBe(`truncated byte ${bytes.length} ${field}`);
  });

  it("refuses bytes after the last list [NS-35]", () => {
    expect(read(0, 0, 0, 6, 0, 0, 0, 0, 0, 0)).toBe("trailing-bytes byte 9");
    expect(read(0, 0, 0, 5, 0, 0, 0, 0, 0)).toBe("trailing-bytes byte 8");
  });

  it("refuses half a hash at the end of version 4 [TL-15, NS-35]", () => {
    expect(read(0, 0, 0, 4, 0, 0, 0, 1, 2, 3)).toBe("odd-tail byte 9 hashes");
  });

  it("refuses a fullscreen byte other than 0 and 1 [TL-14]", () => {
    expect(read(0, 0, 0, 4, 0, 0, 2)).toBe("invalid-fullscreen byte 6 fullscreen");
  });

  it("reads a view into a larger buffer as what it shows", () => {
    const buffer = Uint8Array.from([9, 9, 0, 0, 0, 6, 1, 2, 0, 0, 0, 9, 9]);
    expect(decodeBytes(buffer.subarray(2, 11))).toEqual(decode("AAAABgECAAAA"));
  });
});

describe("links", () => {
  const changed = (change: object) => ({ ...link, ...change }) as unknown as TreeLink;
  const write = (change: object) => {
    const outcome = refusal(() => encode(changed(change)));
    expect(refusal(() => encodeBytes(changed(change)))).toBe(outcome);
    return outcome;
  };
  const expectRefused = (change: object, field: string, reason = "out-of-range", at = 0) =>
    expect(write(change)).toBe(`${reason} element ${at} ${field}`);
  const pairs = numbers(256).map((node) => ({ node, effect: 0 }));

  it("refuses lists longer than their count can tell [TL-05, TL-06, TL-07]", () => {
    expectRefused({ hashes: numbers(256) }, "hashes", "too-many", 255);
    expectRefused({ extendedHashes: numbers(256) }, "extendedHashes", "too-many", 255);
    expectRefused({ masteries: pairs }, "masteries", "too-many", 255);
  });

  it("tells the number that did not fit, and no other value", () => {
    expect(thrown(() => encode(changed({ class: 300 }))).actual).toBe(300);
    expect(thrown(() => encode(changed({ class: "7" }))).actual).toBeUndefined();
    expect(thrown(() => encode(7 as never)).cause).toBeUndefined();
    expect(thrown(() => encode(null as never)).message).toBe("Invalid type, at element 0.");
  });

  it.each([
    ...[-1, 65_536, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 32],
    ...["7", null, undefined, 7n, {}, Symbol("7")],
  ])("refuses %s as a hash", (value) => {
    expectRefused({ hashes: [1, value] }, "hashes", "out-of-range", 1);
    expectRefused({ hashes: [value, 1] }, "hashes");
    expectRefused({ extendedHashes: [value] }, "extendedHashes");
    expectRefused({ masteries: [{ node: value, effect: 1 }] }, "masteries");
    expectRefused({ masteries: [{ node: 1, effect: value }] }, "masteries");
    const four = { version: 4, fullscreen: 0, extendedHashes: [], masteries: [], hashes: [value] };
    expectRefused(four, "hashes");
  });

  it.each([
    ["masteries", [[null], [undefined], [7]]],
    ["class", [-1, 256, 1.5, "1", undefined, 1n]],
    ["ascendancy", [-1, 4, 0.5, "1", undefined]],
    ["alternateAscendancy", [-1, 64, 0.5, "1", Number.NaN]],
  ])("refuses numbers that do not fit %s [TL-10, TL-11]", (field, values) => {
    for (const value of values) expectRefused({ [field]: value }, field);
  });

  it.each([2, -1, true, "1", undefined])("refuses %s as fullscreen [TL-14]", (value) => {
    const four = { version: 4, fullscreen: value, extendedHashes: [], masteries: [] };
    expectRefused(four, "fullscreen", "invalid-fullscreen");
  });

  it.each([2, 3, 7, "6", undefined, 6n])("refuses version %s [TL-02]", (version) => {
    expectRefused({ version }, "version", "unknown-version");
  });

  it("refuses a version that has no room for what the link holds [TL-12, TL-13]", () => {
    const pair = [{ node: 1, effect: 2 }];
    expectRefused({ version: 5, masteries: pair }, "masteries", "no-room");
    expectRefused({ version: 5, alternateAscendancy: 1 }, "alternateAscendancy", "no-room");
    expectRefused({ ...old, extendedHashes: [1] }, "extendedHashes", "no-room");
    expectRefused({ ...old, masteries: pair }, "masteries", "no-room");
    expectRefused({ fullscreen: 1 }, "fullscreen", "no-room");
    expect(encode(changed({ fullscreen: 0 }))).toBe(EMPTY);
    expect(encode(changed(old))).toBe("AAAABAAAAA==");
  });

  it.each(["hashes", "extendedHashes", "masteries"])("refuses %s that are no list", (field) => {
    for (const value of [undefined, null, 7, "12", { length: 1 }])
      expectRefused({ [field]: value }, field, "invalid-type");
  });

  it.each([undefined, null, 7, "link"])("refuses %s, which is no link", (value) => {
    expect(refusal(() => encode(value as never))).toBe("invalid-type element 0");
  });
});

let reasons = 0;

describe("the error", () => {
  const errorOf = (payload: string) => {
    const result = safeDecode(payload);
    return result.ok ? undefined : result.error;
  };

  it("says its reason in words", () => {
    // A reason of its own for each run: the words of a reason are made once.
    const error = new TreeLinkError([`not-so-${++reasons}` as never, 1], "byte");
    expect(error.message).toBe(`Not so ${reasons}, at byte 1.`);
  });

  it("is a value of `safeDecode`, and a link is one too", () => {
    expect(safeDecode(EMPTY)).toEqual({ ok: true, link });
    expect(errorOf("AAAABgAA")?.message).toBe("Truncated in hashes, at byte 6.");
    expect(errorOf("AAAABgAA")?.name).toBe("TreeLinkError");
  });

  it("tells the number that was found", () => {
    expect(errorOf("AAAABwAAAAAA")).toMatchObject({ actual: 7, reason: "unknown-version" });
    expect(errorOf("AAAABwAAAAAA")?.message).toBe("Unknown version (7) in version, at byte 0.");
    expect(errorOf("AAAABAAAAg")).toMatchObject({ actual: 2, reason: "invalid-fullscreen" });
  });

  it.each([
    ["https://www.example.com/passive-skill-tree/AAAABgABAAAA", 5],
    ["AAAABgABAAAA?accountName=x", 12],
    ["AAAABgABAAAA.", 12],
    ["AAAABgAB AAAA", 8],
  ])("points to extractPayload for %s", (text, offset) => {
    const error = errorOf(text);
    expect(error).toMatchObject({ reason: "invalid-character", offset });
    expect(error?.message).toContain("Use extractPayload");
    expect(error?.message).not.toContain("accountName");
  });

  it("does not point there for a single foreign character", () => {
    expect(errorOf("AAAABg*BAAAA")?.message).toBe("Invalid character, at character 6.");
  });

  it("recognises a build code", () => {
    expect(errorOf("eNrtVVtv2zYUfh_g_0D4eYFlJw")?.message).toContain("This is a build code.");
    expect(errorOf("CAAAAAAAAAAA")?.message).not.toContain("build code");
  });

  it("says where a text was cut off, whatever the last character carries", () => {
    const short = { ...LINK, alternateAscendancy: 0, hashes: [2151, 4397] };
    const payload = encode(short, { padding: false });
    for (let end = 0; end < payload.length; end++) {
      const error = errorOf(payload.slice(0, end));
      expect(error?.reason).toBe("truncated");
      expect(error?.offset).toBe(error?.unit === "character" ? end : (end * 3) >> 2);
    }
    expect(errorOf(payload.slice(0, 14))).toMatchObject({ field: "hashes" });
  });

  it("keeps a wrong last character apart from a cut", () => {
    expect(errorOf("AAAABgABAAAAA")).toMatchObject({ reason: "invalid-length", offset: 12 });
    expect(errorOf("AAAABgMCAvvvvv8AAB")).toMatchObject({ reason: "non-zero-tail-bits" });
    // The last byte is the count of masteries, 1: so the link goes on, and is cut off.
    expect(errorOf("AAAABgMCAvvvvv8AAf")).toMatchObject({ reason: "truncated", offset: 18 });
  });

  it("is written as JSON with its message and without its cause", () => {
    const error = new TreeLinkError(["invalid-type", 0], "element", new Error("x"));
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: "TreeLinkError",
      _tag: "TreeLinkError",
      reason: "invalid-type",
      offset: 0,
      unit: "element",
      message: "Invalid type, at element 0.",
      help: "https://game-data.github.io/game-data/errors/treelinkerror/",
    });
    expect(error.cause).toBeInstanceOf(Error);
    expect(error.isRetryable).toBe(false);
  });

  it("has a stack for a bad link, none for a bad payload, and the limit stays as it was", () => {
    const limit = (Error.stackTraceLimit = 5);
    for (const payload of ["AAAABgAA", "AAAABg*BAAAA", "AAAABwAAAAAA"])
      expect(errorOf(payload)?.stack).not.toContain("\n    at ");
    expect(thrown(() => encode({ ...link, class: 256 })).stack).toContain("\n    at ");
    expect(Error.stackTraceLimit).toBe(limit);
  });

  it("does not matter where a program has frozen Error", () => {
    const limit = Object.getOwnPropertyDescriptor(Error, "stackTraceLimit")!;
    Object.defineProperty(Error, "stackTraceLimit", { ...limit, writable: false });
    try {
      expect(errorOf("AAAABgAA")?.reason).toBe("truncated");
    } finally {
      Object.defineProperty(Error, "stackTraceLimit", limit);
    }
  });
});
