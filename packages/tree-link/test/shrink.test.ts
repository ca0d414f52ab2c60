/** What the fuzz kit tries in order to shorten a finding, and what it asks for a seed. */
import { createHash } from "node:crypto";
import { encode, type TreeLink, TreeLinkError } from "@game-data/tree-link";
import { nearlyInput, nearlyPayload, samplePayloads } from "@game-data/tree-link/arbitrary";
import { fuzz, session } from "@game-data/tree-link/fuzz";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { wrongLinks } from "../src/internal/choices.ts";
import { smaller } from "../src/internal/shrink.ts";
import { ask, isEqual, passes, questionsOf, toAscii, unpadded } from "../src/Vectors.ts";
import { plainCodec } from "./faults/plainCodec.ts";

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

/** The questions of a seed, and their digest. No question is answered. */
const questionsFor = (seed: number, cases: number) => {
  const run = session({ seed, cases });
  const asked = [];
  for (let step = run.next(); step.done !== true; step = run.next([])) asked.push(...step.value);
  const digest = createHash("sha256").update(asked.map(toAscii).join("\n")).digest("hex");
  return { asked, digest: digest.slice(0, 16) };
};

describe("a session", () => {
  // A report names its seed, so that somebody else can repeat it: on another machine, and with
  // another version of the package unless its edits have changed. Then these change with them.
  it.each([
    [1, 6_000, "404038c367080f33"],
    [7, 6_000, "c28cf9f78d32fcc0"],
  ])("asks for seed %i what it has always asked", (seed, cases, digest) => {
    expect(questionsFor(seed, cases).digest).toBe(digest);
  });

  it("asks exactly as many questions as it is told, in batches", () => {
    expect(questionsFor(1, 1_203).asked).toHaveLength(1_203);
    const run = session({ cases: 1_203 });
    const sizes = [];
    for (let step = run.next(); step.done !== true; step = run.next([]))
      sizes.push(step.value.length);
    expect(sizes).toEqual([500, 500, 203]);
  });

  it("asks 20,000 questions unless it is told otherwise", () => {
    const run = session();
    let step = run.next();
    let asked = 0;
    for (; step.done !== true; step = run.next([])) asked += step.value.length;
    expect([asked, step.value.cases]).toEqual([20_000, 20_000]);
  });

  it("ends after the seconds that it is given, however many questions that is", () => {
    const started = performance.now();
    const run = session({ seconds: 0.05 });
    let step = run.next();
    while (step.done !== true) step = run.next([]);
    expect(performance.now() - started).toBeGreaterThanOrEqual(50);
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(step.value.cases).toBeGreaterThan(0);
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
    [{ seconds: -1 }, "Out of range (-1) in seconds, at element 0."],
    [{ seed: Number.NaN }, "Out of range (NaN) in seed, at element 0."],
  ])("are not %j", (options, message) => {
    expect(() => fuzz(plainCodec(), options)).toThrow(message);
  });

  it("are any seed, and no time at all", () => {
    expect(fuzz(plainCodec(), { seed: -7, cases: 3 })).toEqual({ cases: 3, findings: [] });
    const clock = vi.spyOn(performance, "now").mockReturnValue(5);
    try {
      expect(session({ seconds: 0 }).next()).toEqual({
        done: true,
        value: { cases: 0, findings: [] },
      });
    } finally {
      clock.mockRestore();
    }
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
    const more = (payload: string) => {
      const link = control.decode(payload);
      return link && ({ ...link, extra: 1 } as unknown as TreeLink);
    };
    expect(kinds({ decode: more }).map(({ kind }) => kind)).toEqual(["reads another extra"]);
    for (const thing of [7, "link", null, true])
      expect(kinds({ decode: () => thing as never }, 30)[0]).toMatchObject({
        kind: "reads another thing",
        found: thing,
      });
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

  it("says what was written, refused or thrown", () => {
    const texts = (codec: Partial<typeof control>) =>
      kinds(codec, 600).map(({ expected, found, kind }) => [kind, expected, found]);
    const empty4 = "AAAABAAAAA==";
    expect(texts({ encode: () => undefined })).toEqual([["writes no link", empty4, undefined]]);
    expect(texts({ encode: (link) => control.encode!(link) && "AAAA" })).toEqual([
      ["writes another payload", empty4, "AAAA"],
    ]);
    const thrower = () => {
      throw new TypeError("x");
    };
    expect(texts({ encode: thrower })).toMatchObject([
      ["encode throws", expect.anything(), "threw TypeError"],
    ]);
    expect(texts({ decode: thrower })).toMatchObject([
      ["decode throws", expect.anything(), "threw TypeError"],
    ]);
    const refusing = () => undefined;
    expect(texts({ decode: refusing })).toMatchObject([
      ["refuses a link", { version: 4, hashes: [] }, undefined],
    ]);
    const lax = (link: unknown) => control.encode!(link) ?? "AAAA";
    const written = texts({ encode: lax }).map(([kind]) => kind);
    expect(written).toContain("writes out-of-range");
    expect(written).toContain("writes unknown-version");
  });

  it("keeps the shortest input of each kind", () => {
    const trims = (payload: string) => control.decode(payload.trim());
    const [found] = kinds({ decode: trims }, 6_000);
    expect(found!.kind).toBe("accepts invalid-character");
    expect(found!.expected).toContain("Invalid character");
    expect("decode" in found!.input && found!.input.decode.length).toBe(13);
  });
});

describe("vectors", () => {
  const payload = "AAAABAAAAA==";
  const link = { version: 4, class: 0, ascendancy: 0, fullscreen: 0, hashes: [] };
  const one = { id: "x-1", flags: [], note: "A case.", payload, link } as const;

  it("ask and accept what the direction and the result say", () => {
    const asked = (
      direction: "decode" | "encode" | "both",
      result: "valid" | "invalid" | "acceptable",
    ) => questionsOf({ ...one, direction, result });
    const read = { question: { decode: payload }, accepts: [link] };
    const write = { question: { encode: link }, accepts: [payload, "AAAABAAAAA"] };
    expect(asked("decode", "valid")).toEqual([read]);
    expect(asked("encode", "valid")).toEqual([write]);
    expect(asked("both", "valid")).toEqual([read, write]);
    expect(asked("decode", "acceptable")).toEqual([{ ...read, accepts: [link, undefined] }]);
    expect(asked("decode", "invalid")).toEqual([{ ...read, accepts: [undefined] }]);
    expect(asked("encode", "invalid")).toEqual([{ ...write, accepts: [undefined] }]);
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
    const notes = wrongLinks(link as unknown as TreeLink).map(({ note }) => note);
    for (const note of [
      ...[
        "version is 3",
        'version is "6"',
        "class is -1",
        "class is left out",
        "hashes is left out",
      ],
      ...["hashes begins with 65536", 'hashes ends with "7"', "hashes is 0"],
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
    expect(["A==", "A=", "A", "=A", "A=A=", "=="].map(unpadded)).toEqual([
      "A",
      "A",
      "A",
      "=A",
      "A=A",
      "",
    ]);
  });
});
