/**
 * What an untyped caller may pass to any exported function: it answers, or throws an error of this
 * package that names what is wrong.
 */
import * as codec from "@game-data/tree-link";
import { samplePayloads } from "@game-data/tree-link/arbitrary";
import { compare, isSame } from "@game-data/tree-link/compare";
import { convert, losses } from "@game-data/tree-link/convert";
import * as effects from "@game-data/tree-link/effect";
import { type Codec, fuzz, passes, session, type VectorCase } from "@game-data/tree-link/fuzz";
import { layout } from "@game-data/tree-link/layout";
import { decodePartial, repair } from "@game-data/tree-link/partial";
import { classId, fromCharacter, fromPassives } from "@game-data/tree-link/passives";
import * as text from "@game-data/tree-link/text";
import * as url from "@game-data/tree-link/url";
import { view } from "@game-data/tree-link/view";
import { Effect } from "effect";
import { describe, expect, it } from "vitest";
import { NO_VERSION } from "./support.ts";

const P = "AAAABgMCAghnES0AAboaES0=";
const link = codec.decode(P);
const other = codec.decode("AAAABgAAAfdPAAA=");
const passives = { hashes: [1], hashes_ex: [2], mastery_effects: { "4": 5 } };
const comparison = compare(link, other);
const sound: Codec = { decode: codec.decode, encode: (one) => codec.encode(one as never) };
const vector: VectorCase = {
  ...{ id: "a", flags: [], note: "", direction: "both", result: "valid" },
  ...{ link: link as never, payload: P },
};
const noTypes = <A>(value: unknown) => value as A;
const mine = new Error("mine");
/** An object with a member that cannot be read. */
const broken = (name: string, object: object = {}): any =>
  Object.defineProperty({ ...object }, name, {
    enumerable: true,
    get: () => {
      throw mine;
    },
  });

type Run = (...args: Array<any>) => unknown;

const FUNCTIONS: Readonly<Record<string, readonly [Run, ...Array<unknown>]>> = {
  decode: [codec.decode, P, { maxLength: 100 }],
  safeDecode: [codec.safeDecode, P, { maxLength: 100 }],
  decodeBytes: [codec.decodeBytes, codec.encodeBytes(link)],
  encode: [codec.encode, link, { padding: false, maxLength: 100 }],
  encodeBytes: [codec.encodeBytes, link, { maxLength: 100 }],
  "effect decode": [(one) => Effect.runSync(Effect.result(effects.decode(one))), P],
  "effect encode": [(one) => Effect.runSync(Effect.result(effects.encode(one))), link],
  samplePayloads: [samplePayloads, 1, 1],
  compare: [compare, link, other],
  "compare with passives": [compare, link, passives],
  isSame: [isSame, comparison],
  convert: [convert, link, 5, { allowLoss: true }],
  losses: [losses, link, 5],
  // By default a run takes a second.
  fuzz: [
    (one, options = {}) =>
      fuzz(one, Object(options) === options ? { cases: 1, ...options } : options),
    sound,
    { cases: 1, seconds: 0.02, seed: 1 },
  ],
  session: [(options) => session(options).next(), { cases: 1, seconds: 1, seed: 1 }],
  passes: [passes, sound, vector],
  layout: [layout, P, { maxLength: 100 }],
  decodePartial: [decodePartial, P, { maxLength: 100 }],
  repair: [repair, P],
  classId: [classId, "Witch"],
  fromCharacter: [fromCharacter, { class: "Witch", realm: "pc", passives }, { A: { class: 1 } }],
  fromPassives: [fromPassives, passives, { class: 1, ascendancy: 1, alternateAscendancy: 1 }],
  summary: [text.summary, link],
  fieldRows: [text.fieldRows, layout(P)],
  diffLines: [text.diffLines, comparison],
  formatLosses: [text.formatLosses, losses(link, 4)],
  explain: [text.explain, new codec.TreeLinkError(["out-of-range", 0, "class", 256], "element")],
  findLinks: [url.findLinks, P, { lenient: true }],
  extractPayload: [url.extractPayload, P, { lenient: true }],
  decodeUrl: [url.decodeUrl, P, { lenient: true, maxLength: 100 }],
  buildUrl: [url.buildUrl, P, { base: "https://a.example", tree: "atlas", isFullscreen: true }],
  view: [view, P, { maxLength: 100 }],
};

const WRONG = [
  ...[undefined, null, Number.NaN, -1, 0, 1.5, 300, "", "text", true],
  ...[{}, [], [null], [[]], () => 1],
];

/** `healthy` replaced, and with each member replaced, by each wrong value. */
const variants = (healthy: unknown): ReadonlyArray<unknown> => {
  if (typeof healthy !== "object" || healthy === null) return WRONG;
  const members = Object.keys(healthy).slice(0, 10);
  return [
    ...WRONG,
    ...members.flatMap((name) => WRONG.map((value) => ({ ...healthy, [name]: value }))),
  ];
};

const isTyped = (error: unknown) =>
  error instanceof codec.TreeLinkError || error instanceof url.TreeLinkUrlError;

describe("an untyped caller", () => {
  it("is covered for each exported function", async () => {
    const names = "/compare /convert /layout /text /passives /view /partial /url".split(" ");
    const modules = await Promise.all(
      ["", ...names].map((name) => import(/* @vite-ignore */ `@game-data/tree-link${name}`)),
    );
    const exported = modules.flatMap((module) =>
      Object.entries(module).flatMap(([name, value]) =>
        typeof value === "function" && !/^[A-Z]/u.test(name) ? [name] : [],
      ),
    );
    expect(exported.filter((name) => !(name in FUNCTIONS))).toEqual([]);
  });

  it.each(Object.entries(FUNCTIONS))(
    "gets an answer or an error of this package from %s",
    (_, [run, ...args]) => {
      const untyped: Array<string> = [];
      let cases = 0;
      args.forEach((healthy, i) => {
        for (const wrong of variants(healthy)) {
          cases++;
          try {
            run(...args.with(i, wrong));
          } catch (error) {
            if (!isTyped(error)) untyped.push(`${i} ${JSON.stringify(wrong)}: ${error}`);
          }
        }
      });
      run(...args);
      expect(cases).toBeGreaterThan(10);
      expect(untyped).toEqual([]);
    },
  );

  it.each([
    ["from", () => compare(noTypes(null), link)],
    ["to", () => compare(link, noTypes(null))],
    ["to", () => compare(link, noTypes({ version: NO_VERSION }))],
    ["masteries", () => compare(link, noTypes({ ...link, masteries: undefined }))],
    ["hashes", () => compare(link, noTypes({}))],
    ["comparison", () => isSame(noTypes(null))],
    ["character", () => fromCharacter(noTypes(null))],
    ["character", () => fromCharacter(noTypes({ class: 7 }))],
    ["classes", () => fromCharacter({ class: "Witch", passives }, noTypes(null))],
    ["passives", () => fromPassives(noTypes(null), { class: 0 })],
    ["ids", () => fromPassives(passives, noTypes(null))],
    ["class", () => fromPassives(passives, noTypes({ class: "3" }))],
    ["link", () => text.summary(noTypes(null))],
    ["hashes", () => text.summary(noTypes({ ...link, hashes: null }))],
    ["ascendancy", () => convert(noTypes({ ...link, ascendancy: 1.5 }), 5)],
    ["link", () => convert(noTypes(undefined), 5)],
    ["layout", () => text.fieldRows(noTypes(null))],
    ["comparison", () => text.diffLines(noTypes(null))],
    ["lost", () => text.formatLosses(noTypes(null))],
    ["error", () => text.explain(noTypes(null))],
    ["count", () => samplePayloads(-1, 1)],
    ["seed", () => samplePayloads(1, Number.NaN)],
    ["case", () => passes(sound, noTypes(null))],
    ["codec.decode", () => fuzz(noTypes(null))],
    ["codec.decode", () => fuzz(noTypes({}))],
    ["seconds", () => fuzz(sound, { seconds: noTypes("1") })],
    ["options", () => fuzz(sound, noTypes(5))],
    ["character", () => fromCharacter(broken("class"))],
    ["link", () => text.summary(broken("version"))],
  ])("learns that it is %s", (field, run) => {
    expect(run).toThrow(expect.objectContaining({ field }));
  });

  it("may ask for no payloads", () => {
    expect(samplePayloads(0, 1)).toEqual([]);
  });

  it("keeps what a getter threw as the cause", () => {
    const run = () => compare(broken("hashes", link), link);
    expect(run).toThrow(expect.objectContaining({ field: "from", cause: mine }));
  });
});

describe("a codec of promises", () => {
  it.each(["decode", "encode"] as const)("is refused by the name of its %s", async (name) => {
    // Its rejection is of no concern: the refusal says what to do.
    const late = { ...sound, [name]: async () => Promise.reject(new Error("late")) };
    expect(() => fuzz(noTypes(late), { cases: 10 })).toThrow(
      `Invalid type in codec.${name}, at element 0. It returns a promise.`,
    );
    expect(() => passes(noTypes(late), vector)).toThrow(codec.TreeLinkError);
    await new Promise((resolve) => setImmediate(resolve));
  });
});
