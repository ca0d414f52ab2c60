/** What the fuzz kit tries in order to shorten a finding, and what it asks for a seed. */
import { createHash } from "node:crypto";
import { encode, type TreeLink, TreeLinkError } from "@game-data/tree-link";
import { nearlyInput, nearlyPayload, samplePayloads } from "@game-data/tree-link/arbitrary";
import { fuzz, type FuzzOptions, session } from "@game-data/tree-link/fuzz";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { wrongLinks } from "../src/internal/choices.ts";
import { smaller } from "../src/internal/shrink.ts";
import { ask, isEqual, passes, questionsOf, toAscii, unpadded } from "../src/Vectors.ts";
import { plainCodec } from "./faults/plainCodec.ts";

const EMPTY = "AAAABAAAAA==";
const four = { version: 4, class: 0, ascendancy: 0, fullscreen: 0, hashes: [] } as const;
const six = (lists: object): TreeLink => ({
  ...{ version: 6, class: 0, ascendancy: 0, alternateAscendancy: 0 },
  ...{ hashes: [], extendedHashes: [], masteries: [], ...lists },
});
const lists = (hashes: ReadonlyArray<number>) =>
  smaller({ encode: { version: 4, hashes } }).map((one) => "encode" in one && one.encode);

describe("smaller", () => {
  it("leaves out halves, quarters and single characters of what is no link", () => {
    const texts = smaller({ decode: "abcdef" }).map((one) => "decode" in one && one.decode);
    const single = ["bcdef", "acdef", "abdef", "abcef", "abcdf", "abcde"];
    expect(texts).toEqual(["def", "abc", ...single]);
    expect(smaller({ decode: "" })).toEqual([]);
    expect(smaller({ decode: "a" })).toEqual([]);
  });

  it("tries no more than some hundred pieces of a long text", () => {
    const count = smaller({ decode: "-".repeat(3_000) }).length;
    expect(count).toBeGreaterThan(400);
    expect(count).toBeLessThan(1_000);
  });

  it("makes payloads of smaller links of what is one", () => {
    const payload = encode(six({ class: 3, hashes: [7] }));
    const expected = [six({ hashes: [7] }), six({ class: 3 }), six({ class: 3, hashes: [1] })];
    const texts = smaller({ decode: payload }).map((one) => "decode" in one && one.decode);
    expect(new Set(texts)).toEqual(new Set(expected.map((link) => encode(link))));
    const mastery = encode(six({ masteries: [{ node: 7, effect: 9 }] }));
    expect(smaller({ decode: mastery })).toEqual([
      { decode: encode(six({})) },
      { decode: encode(six({})) },
    ]);
  });

  it("sets numbers to 0, but not the version", () => {
    expect(smaller({ encode: { version: 6, class: 3, ascendancy: 0 } })).toEqual([
      { encode: { version: 6, class: 0, ascendancy: 0 } },
    ]);
    for (const encoded of [null, 7, "x"]) expect(smaller({ encode: encoded })).toEqual([]);
  });

  it("leaves out halves, ends and single entries of a list", () => {
    const tried = [[], [8, 9], [7], [8, 9], [7, 8], [8, 9], [1, 8, 9], [7, 9], [7, 1, 9]];
    const expected = [...tried, [7, 8], [7, 8, 1]].map((hashes) => ({ version: 4, hashes }));
    expect(lists([7, 8, 9])).toEqual(expected);
    expect(lists([7])).toEqual([[], [], [1]].map((hashes) => ({ version: 4, hashes })));
    expect(lists([])).toEqual([]);
  });

  it("tries halves and ends alone of a list of forty and more", () => {
    const long = Array.from({ length: 40 }, (_, i) => i);
    expect(lists(long)).toHaveLength(5);
    expect(lists(long.slice(1))).toHaveLength(5 + 2 * 39);
  });
});

/** The questions of a run, batch by batch. No question is answered. */
const asked = (options?: FuzzOptions) => {
  const run = session(options);
  const batches = [];
  let step = run.next();
  for (; step.done !== true; step = run.next([])) batches.push(step.value);
  return { batches, report: step.value, sizes: batches.map((batch) => batch.length) };
};

describe("a session", () => {
  // A report names its seed, so that somebody else can repeat it: on another machine, and with
  // another version of the package unless its edits have changed. Then these change with them.
  it.each([
    [{ cases: 6_000 }, "404038c367080f33"],
    [{ cases: 6_000, seed: 7 }, "c28cf9f78d32fcc0"],
  ])("asks for %j what it has always asked", (options, digest) => {
    const text = asked(options).batches.flat().map(toAscii).join("\n");
    expect(createHash("sha256").update(text).digest("hex").slice(0, 16)).toBe(digest);
  });

  it("asks exactly as many questions as it is told, in batches, and 20,000 else", () => {
    expect(asked({ cases: 1_203 }).sizes).toEqual([500, 500, 203]);
    const { report, sizes } = asked();
    expect([report.cases, sizes]).toEqual([20_000, sizes.map(() => 500)]);
  });

  it("ends after the seconds that it is given, however many questions that is", () => {
    const started = performance.now();
    const { report } = asked({ seconds: 0.05 });
    expect(performance.now() - started).toBeGreaterThanOrEqual(50);
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(report.cases).toBeGreaterThan(0);
  });
});

describe("generators", () => {
  const sample = <A>(of: fc.Arbitrary<A>) => fc.sample(of, { numRuns: 300, seed: 1 });

  it("make many links, padded and not", () => {
    expect(new Set(samplePayloads(300, 1)).size).toBeGreaterThan(250);
    expect(new Set(sample(nearlyPayload)).size).toBeGreaterThan(250);
  });

  it("make inputs that encode refuses, NaN among them", () => {
    const inputs = sample(nearlyInput);
    for (const input of inputs) expect(() => encode(input as never)).toThrow(TreeLinkError);
    const isOdd = (value: unknown) => typeof value === "number" && !Number.isFinite(value);
    expect(inputs.some((input) => Object.values(input).flat().some(isOdd))).toBe(true);
  });
});

describe("the bounds of a run", () => {
  it.each([
    [{ cases: Number.NaN }, "Out of range (NaN) in cases, at element 0."],
    [{ cases: 1.5 }, "Out of range (1.5) in cases, at element 0."],
    [{ seconds: -1 }, "Out of range (-1) in seconds, at element 0."],
    [{ seed: Number.NaN }, "Out of range (NaN) in seed, at element 0."],
  ])("are not %j", (options, message) => {
    expect(() => fuzz(plainCodec(), options)).toThrow(message);
  });

  it("are any seed, and no time at all", () => {
    expect(fuzz(plainCodec(), { seed: -7, cases: 3 })).toEqual({ cases: 3, findings: [] });
    const clock = vi.spyOn(performance, "now").mockReturnValue(5);
    const value = { cases: 0, findings: [] };
    expect(session({ seconds: 0 }).next()).toEqual({ done: true, value });
    clock.mockRestore();
  });
});

describe("a finding", () => {
  const control = plainCodec();

  /** What a codec that writes no link of `isRefused` shows, and the questions that shorten it. */
  const shortened = (isRefused: (link: any) => boolean, cases = 60) => {
    const codec = {
      ...control,
      encode: (link: any) => (isRefused(link) ? undefined : control.encode!(link)),
    };
    const run = session({ cases });
    const sizes = [];
    let step = run.next();
    for (; step.done !== true; step = run.next(step.value.map((one) => ask(codec, one))))
      sizes.push(step.value.length);
    return { findings: step.value.findings, sizes: sizes.slice(1) };
  };

  it("is shortened until nothing smaller shows it", () => {
    const { findings, sizes } = shortened((link) => link.masteries?.length > 100);
    expect(findings).toHaveLength(1);
    expect(findings[0]!.input).toMatchObject({
      encode: { hashes: [], masteries: { length: 101 } },
    });
    const few = shortened((link) => link.hashes?.length > 0);
    expect(few.findings[0]!.input).toMatchObject({ encode: { hashes: [1] } });
    for (const all of [sizes, few.sizes]) {
      expect(all.every((size) => size > 0)).toBe(true);
      expect(all.length).toBeLessThan(60);
    }
  });

  it("is shortened with 4,000 questions at most", () => {
    const names = ["hashes", "extendedHashes", "masteries"];
    const { sizes } = shortened((link) => names.every((name) => link[name]?.length >= 129));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(4_000);
    expect(sizes).not.toContain(0);
  });
  const kinds = (codec: Partial<typeof control>, cases = 100) =>
    fuzz({ ...control, ...codec }, { cases }).findings;

  it("names the member that is read otherwise, and has the shortest link that shows it", () => {
    const [found, ...others] = kinds({
      decode: (payload) => {
        const link = control.decode(payload);
        return link && { ...link, class: link.class & 1 };
      },
    });
    expect(others).toEqual([]);
    expect(found).toMatchObject({ kind: "reads another class" });
    expect(found!.expected).toMatchObject({ class: 255, hashes: [] });
  });

  it("names what is there too much, and what is no link", () => {
    const more = (payload: string): any => {
      const link = control.decode(payload);
      return link && { ...link, extra: 1 };
    };
    expect(kinds({ decode: more })).toMatchObject([{ kind: "reads another extra" }]);
    for (const found of [7, "link", null, true]) {
      const [finding] = kinds({ decode: () => found as never }, 30);
      expect(finding).toMatchObject({ kind: "reads another thing", found });
    }
  });

  it("is none where a text without padding is refused, or written", () => {
    const strict = (payload: string) =>
      payload.length % 4 === 0 ? control.decode(payload) : undefined;
    const bare = (link: unknown) => {
      const payload = control.encode!(link);
      return payload && unpadded(payload);
    };
    expect(kinds({ decode: strict, encode: bare }, 300)).toEqual([]);
  });

  const refusing = () => undefined;
  const thrower = () => {
    throw new TypeError("x");
  };
  it.each<[Partial<typeof control>, kind: string, expected: unknown, found: unknown]>([
    [{ encode: refusing }, "writes no link", EMPTY, undefined],
    [{ encode: (one) => control.encode!(one) && "A" }, "writes another payload", EMPTY, "A"],
    [{ encode: thrower }, "encode throws", expect.anything(), "threw TypeError"],
    [{ decode: thrower }, "decode throws", expect.anything(), "threw TypeError"],
    [{ decode: refusing }, "refuses a link", four, undefined],
  ])("of %o says what was written, refused or thrown: %s", (codec, kind, expected, found) => {
    expect(kinds(codec, 600)).toMatchObject([{ kind, expected, found }]);
  });

  it("names the reason for which a link that was written should be refused", () => {
    const lax = (one: unknown) => control.encode!(one) ?? "AAAA";
    const written = kinds({ encode: lax }, 600).map(({ kind }) => kind);
    expect(written).toContain("writes out-of-range");
    expect(written).toContain("writes unknown-version");
  });

  it("keeps the shortest input of each kind", () => {
    const trims = (payload: string) => control.decode(payload.trim());
    const [found] = kinds({ decode: trims }, 3_000);
    expect(found!.kind).toBe("accepts invalid-character");
    expect(found!.expected).toContain("Invalid character");
    expect("decode" in found!.input && found!.input.decode.length).toBe(13);
  });
});

describe("vectors", () => {
  const one = { id: "x-1", flags: [], note: "A case.", payload: EMPTY, link: four } as const;

  it("ask and accept what the direction and the result say", () => {
    const outcomes = (
      direction: "decode" | "encode" | "both",
      result: "valid" | "invalid" | "acceptable",
    ) => questionsOf({ ...one, direction, result });
    const read = { question: { decode: EMPTY }, accepts: [four] };
    const write = { question: { encode: four }, accepts: [EMPTY, "AAAABAAAAA"] };
    expect(outcomes("decode", "valid")).toEqual([read]);
    expect(outcomes("encode", "valid")).toEqual([write]);
    expect(outcomes("both", "valid")).toEqual([read, write]);
    expect(outcomes("decode", "acceptable")).toEqual([{ ...read, accepts: [four, undefined] }]);
    expect(outcomes("decode", "invalid")).toEqual([{ ...read, accepts: [undefined] }]);
    expect(outcomes("encode", "invalid")).toEqual([{ ...write, accepts: [undefined] }]);
  });

  it("are passed by what answers rightly each question that it can answer", () => {
    const both = { ...one, direction: "both", result: "valid" } as const;
    const { decode, encode: write } = plainCodec();
    expect(passes({ decode }, both)).toBe(true);
    expect(passes({ decode, encode: write! }, both)).toBe(true);
    expect(passes({ decode, encode: () => undefined }, both)).toBe(false);
    expect(passes({ decode: () => undefined, encode: write! }, both)).toBe(false);
  });

  it("say of a wrong link what is wrong", () => {
    const notes = wrongLinks(four).map(({ note }) => note);
    for (const note of [
      ...["version is 3", 'version is "6"', "class is -1", "class is left out", "hashes is 0"],
      ...["hashes is left out", "hashes begins with 65536", 'hashes ends with "7"'],
      "masteries is there, which version 4 cannot hold",
    ])
      expect(notes).toContain(note);
  });

  it.each([
    [{ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 }, true],
    [{ a: 1 }, { a: 1, b: undefined }, false],
    [{ a: 1, b: 2 }, { a: 1 }, false],
    [[1], { 0: 1 }, false],
    [{ 0: 1 }, [1], false],
    [[1, 2], [2, 1], false],
    [null, {}, false],
    [{}, null, false],
    [1, "1", false],
    [{}, 1, false],
    [1, {}, false],
  ])("take %j and %j for equal: %s", (a, b, expected) => {
    expect(isEqual(a, b)).toBe(expected);
  });

  it("know padding at the end alone", () => {
    const texts = ["A==", "A=", "A", "=A", "A=A=", "=="];
    expect(texts.map(unpadded)).toEqual(["A", "A", "A", "=A", "A=A", ""]);
  });
});
