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
  type TreeLinkReason,
} from "@game-data/tree-link";
import { describe, expect, it } from "vitest";

const refusal = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(TreeLinkError);
    const { field, offset, reason, unit } = error as TreeLinkError;
    return [reason, unit, offset, field];
  }
  return "accepted";
};

type Case = [what: string, input: string, reason: TreeLinkReason, offset: number];

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
  ] satisfies Array<Case>)("refuses %s [TL-01, NS-35]", (_, payload, reason, offset) => {
    expect(refusal(() => decode(payload))).toEqual([reason, "character", offset, undefined]);
  });

  it("refuses what is longer than the limit, before it reads it", () => {
    const payload = "A".repeat(1_048_577);
    expect(refusal(() => decode(payload))).toEqual(["too-long", "character", 1_048_576, undefined]);
    expect(refusal(() => decode("AAAABgABAAAA", { maxLength: 11 }))).toEqual([
      "too-long",
      "character",
      11,
      undefined,
    ]);
    expect(refusal(() => encode(decode("AAAABgABAAAA"), { maxLength: 11 }))).toEqual([
      "too-long",
      "character",
      11,
      undefined,
    ]);
    expect(encode(decode("AAAABgABAAAA"), { maxLength: 12 })).toBe("AAAABgABAAAA");
    // Every list counts.
    const lists = { hashes: [1], extendedHashes: [2, 3], masteries: [{ node: 4, effect: 5 }] };
    const link = { ...decode("AAAABgABAAAA"), ...lists };
    const { length } = encode(link, { padding: false });
    expect(encode(link, { maxLength: length, padding: false })).toHaveLength(length);
    expect(refusal(() => encode(link, { maxLength: length - 1 }))[0]).toBe("too-long");
  });

  it("refuses a link past the limit before it sets memory aside for it", () => {
    // oxlint-disable-next-line unicorn/no-new-array
    const hashes = new Array<number>(4_000_000_000);
    const link: TreeLink = { version: 4, class: 0, ascendancy: 0, fullscreen: 0, hashes };
    const tooLong = ["too-long", "character", 1_048_576, undefined];
    expect(refusal(() => encode(link))).toEqual(tooLong);
    expect(refusal(() => encodeBytes(link))).toEqual(tooLong);
    const short = { ...link, hashes: [1] };
    expect(encodeBytes(short, { maxLength: 12 })).toHaveLength(9);
    expect(refusal(() => encodeBytes(short, { maxLength: 11 }))).toEqual([
      "too-long",
      "character",
      11,
      undefined,
    ]);
  });

  it.each([undefined, null, 7, {}, ["AAAABgABAAAA"], Symbol("A")])(
    "refuses %s, which is no text",
    (value) => {
      expect(refusal(() => decode(value as never))).toEqual([
        "invalid-type",
        "character",
        0,
        undefined,
      ]);
      expect(refusal(() => decodeBytes(value as never))).toEqual([
        "invalid-type",
        "byte",
        0,
        undefined,
      ]);
    },
  );
});

it("gives the error of a refused payload no stack, and later errors theirs", () => {
  const limit = (Error.stackTraceLimit = 5);
  const result = safeDecode("AAAABwAAAAAA");
  expect(result.ok ? "" : result.error.stack).not.toMatch(/^ +at /mu);
  expect(Error.stackTraceLimit).toBe(limit);
});

describe("bytes", () => {
  const read = (...bytes: Array<number>) => refusal(() => decodeBytes(Uint8Array.from(bytes)));

  it.each([2, 3, 7, 255])("refuses version %i [TL-02, NS-35]", (version) => {
    expect(read(0, 0, 0, version, 0, 0, 0, 0, 0)).toEqual([
      "unknown-version",
      "byte",
      0,
      "version",
    ]);
  });

  it("refuses the version 2³²−1, and 6 in little-endian [TL-02, NS-15]", () => {
    expect(read(255, 255, 255, 255, 0, 0, 0)).toEqual(["unknown-version", "byte", 0, "version"]);
    expect(read(6, 0, 0, 0, 0, 0, 0, 0, 0)).toEqual(["unknown-version", "byte", 0, "version"]);
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
    expect(read(...bytes)).toEqual(["truncated", "byte", bytes.length, field]);
  });

  it("refuses bytes after the last list [NS-35]", () => {
    expect(read(0, 0, 0, 6, 0, 0, 0, 0, 0, 0)).toEqual(["trailing-bytes", "byte", 9, undefined]);
    expect(read(0, 0, 0, 5, 0, 0, 0, 0, 0)).toEqual(["trailing-bytes", "byte", 8, undefined]);
  });

  it("refuses half a hash at the end of version 4 [TL-15, NS-35]", () => {
    expect(read(0, 0, 0, 4, 0, 0, 0, 1, 2, 3)).toEqual(["odd-tail", "byte", 9, "hashes"]);
  });

  it("refuses a fullscreen byte other than 0 and 1 [TL-14]", () => {
    expect(read(0, 0, 0, 4, 0, 0, 2)).toEqual(["invalid-fullscreen", "byte", 6, "fullscreen"]);
  });

  it("reads a view into a larger buffer as what it shows", () => {
    const buffer = Uint8Array.from([9, 9, 0, 0, 0, 6, 1, 2, 0, 0, 0, 9, 9]);
    expect(decodeBytes(buffer.subarray(2, 11))).toEqual(decode("AAAABgECAAAA"));
  });
});

describe("links", () => {
  const link = decode("AAAABgABAAAA") as Extract<TreeLink, { version: 6 }>;
  const write = (change: object) => {
    const changed = { ...link, ...change } as unknown as TreeLink;
    const outcome = refusal(() => encode(changed));
    expect(refusal(() => encodeBytes(changed))).toEqual(outcome);
    return outcome;
  };
  const expectRefused = (change: object, field: string, reason = "out-of-range", at = 0) =>
    expect(write(change)).toEqual([reason, "element", at, field]);
  const many = (length: number) => Array.from({ length }, () => 0);
  const pairs = many(256).map(() => ({ node: 0, effect: 0 }));

  it("refuses lists longer than their count can tell [TL-05, TL-06, TL-07]", () => {
    expectRefused({ hashes: many(256) }, "hashes", "too-many", 255);
    expectRefused({ extendedHashes: many(256) }, "extendedHashes", "too-many", 255);
    expectRefused({ masteries: pairs }, "masteries", "too-many", 255);
    expect(write({ hashes: many(255) })).toBe("accepted");
    const thrown = (change: unknown) => {
      try {
        return encode(change as never);
      } catch (error) {
        return error;
      }
    };
    expect(thrown({ ...link, class: 300 })).toMatchObject({ actual: 300 });
    expect(thrown({ ...link, class: "7" })).toMatchObject({ actual: undefined });
    expect(thrown(7)).toMatchObject({ reason: "invalid-type", cause: undefined });
    expect(thrown(null)).toMatchObject({ message: "Invalid type, at element 0." });
  });

  it.each([
    -1,
    65_536,
    1.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    2 ** 32,
    "7",
    null,
    undefined,
    7n,
    {},
    Symbol("7"),
  ])("refuses %s as a hash", (value) => {
    expectRefused({ hashes: [1, value] }, "hashes", "out-of-range", 1);
    expectRefused({ hashes: [value, 1] }, "hashes");
    expectRefused({ extendedHashes: [value] }, "extendedHashes");
    expectRefused({ masteries: [{ node: value, effect: 1 }] }, "masteries");
    expectRefused({ masteries: [{ node: 1, effect: value }] }, "masteries");
    const four = { version: 4, fullscreen: 0, extendedHashes: [], masteries: [], hashes: [value] };
    expectRefused(four, "hashes");
  });

  it.each([null, undefined, 7])("refuses %s as a mastery effect", (value) => {
    expectRefused({ masteries: [value] }, "masteries");
  });

  it.each([-1, 256, 1.5, "1", undefined, 1n])("refuses %s as a class", (value) => {
    expectRefused({ class: value }, "class");
  });

  it.each([-1, 4, 0.5, "1", undefined])(
    "refuses %s as an ascendancy of version 6 [TL-10]",
    (value) => {
      expectRefused({ ascendancy: value }, "ascendancy");
    },
  );

  it.each([-1, 64, 0.5, "1", Number.NaN])("refuses %s as a second ascendancy [TL-11]", (value) => {
    expectRefused({ alternateAscendancy: value }, "alternateAscendancy");
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
    const four = { version: 4, fullscreen: 0 };
    expectRefused({ ...four, extendedHashes: [1] }, "extendedHashes", "no-room");
    expectRefused({ ...four, masteries: pair }, "masteries", "no-room");
    expectRefused({ fullscreen: 1 }, "fullscreen", "no-room");
    expect(write({ fullscreen: 0 })).toBe("accepted");
    expect(write(four)).toBe("accepted");
  });

  it.each(["hashes", "extendedHashes", "masteries"])("refuses %s that are no list", (field) => {
    for (const value of [undefined, null, 7, "12", { length: 1 }])
      expect(write({ [field]: value })).toEqual(["invalid-type", "element", 0, field]);
  });

  it.each([undefined, null, 7, "link"])("refuses %s, which is no link", (value) => {
    expect(refusal(() => encode(value as never))).toEqual([
      "invalid-type",
      "element",
      0,
      undefined,
    ]);
  });
});

let reasons = 0;

describe("the error", () => {
  it("says its reason in words", () => {
    // A reason of its own for each run: the words of a reason are made once.
    const error = new TreeLinkError([`not-so-${++reasons}` as never, 1], "byte");
    expect(error.message).toBe(`Not so ${reasons}, at byte 1.`);
  });

  it("says what, where and in which field", () => {
    const result = safeDecode("AAAABgAA");
    expect(result.ok).toBe(false);
    if (result.ok) return;
    expect(result.error.message).toBe("Truncated in hashes, at byte 6.");
    expect(result.error.name).toBe("TreeLinkError");
  });

  it("is a value of `safeDecode`, and a link is one too", () => {
    expect(safeDecode("AAAABgABAAAA")).toEqual({ ok: true, link: decode("AAAABgABAAAA") });
  });
});

const errorOf = (payload: string) => {
  const result = safeDecode(payload);
  return result.ok ? undefined : result.error;
};

describe("errors that help", () => {
  it("tell the number that was found", () => {
    expect(errorOf("AAAABwAAAAAA")).toMatchObject({ actual: 7, reason: "unknown-version" });
    expect(errorOf("AAAABwAAAAAA")?.message).toBe("Unknown version (7) in version, at byte 0.");
    expect(errorOf("AAAABAAAAg")).toMatchObject({ actual: 2, reason: "invalid-fullscreen" });
  });

  it.each([
    ["https://www.example.com/passive-skill-tree/AAAABgABAAAA", 5],
    ["AAAABgABAAAA?accountName=x", 12],
    ["AAAABgABAAAA.", 12],
    ["AAAABgAB AAAA", 8],
  ])("point to extractPayload for %s", (text, offset) => {
    const error = errorOf(text);
    expect(error).toMatchObject({ reason: "invalid-character", offset });
    expect(error?.message).toContain("Use extractPayload");
    expect(error?.message).not.toContain("accountName");
  });

  it("do not point there for a single foreign character", () => {
    expect(errorOf("AAAABg*BAAAA")?.message).toBe("Invalid character, at character 6.");
  });

  it("recognise a build code", () => {
    expect(errorOf("eNrtVVtv2zYUfh_g_0D4eYFlJw")?.message).toContain("This is a build code.");
    expect(errorOf("CAAAAAAAAAAA")?.message).not.toContain("build code");
  });

  it("say where a text was cut off, whatever the last character carries", () => {
    const payload = encode({
      version: 6,
      class: 3,
      ascendancy: 2,
      hashes: [2151, 4397],
      extendedHashes: [7],
      masteries: [{ node: 4397, effect: 47_642 }],
    }).replace(/=+$/u, "");
    for (let end = 0; end < payload.length; end++) {
      const error = errorOf(payload.slice(0, end));
      expect(error?.reason).toBe("truncated");
      if (error?.unit === "character") expect(error.offset).toBe(end);
      else expect(error?.offset).toBe((end * 3) >> 2);
    }
    expect(errorOf(payload.slice(0, 14))).toMatchObject({ field: "hashes" });
  });

  it("keep a wrong last character apart from a cut", () => {
    expect(errorOf("AAAABgABAAAAA")).toMatchObject({ reason: "invalid-length", offset: 12 });
    expect(errorOf("AAAABgMCAvvvvv8AAB")).toMatchObject({ reason: "non-zero-tail-bits" });
    // The last byte is the count of masteries, 1: so the link goes on, and is cut off.
    expect(errorOf("AAAABgMCAvvvvv8AAf")).toMatchObject({ reason: "truncated", offset: 18 });
  });

  it("are written as JSON with their message and without their cause", () => {
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

  it("refuse a limit that is no number instead of ignoring it", () => {
    const maxLength = "12" as unknown as number;
    expect(refusal(() => decode("AAAABgABAAAA", { maxLength: Number.NaN }))[0]).toBe("too-long");
    expect(refusal(() => encode(decode("AAAABgABAAAA"), { maxLength: Number.NaN }))[0]).toBe(
      "too-long",
    );
    expect(decode("AAAABgABAAAA", { maxLength })).toBeDefined();
  });
});

describe("the stack", () => {
  it("is captured for a bad link, not for a bad payload, and the limit stays as it was", () => {
    const limit = Error.stackTraceLimit;
    expect(errorOf("AAAABgAA")?.stack).not.toContain("\n    at ");
    expect(errorOf("AAAABg*BAAAA")?.stack).not.toContain("\n    at ");
    expect(() => encode({ ...decode("AAAABgABAAAA"), class: 256 })).toThrow(
      expect.objectContaining({ stack: expect.stringContaining("\n    at ") }),
    );
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
