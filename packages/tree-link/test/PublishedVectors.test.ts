/**
 * The published vectors: the files follow their schemas, the codec agrees with every case, and no
 * faulty codec of `test/faults/` does. Readers in other languages are in `vectors/runners`;
 * `scripts/vectors.ts --check` tells whether the files are fresh.
 */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { decode, encode, safeDecode, TreeLinkError } from "@game-data/tree-link";
import { convert, losses } from "@game-data/tree-link/convert";
import { passes, type VectorCase, type VectorFile } from "@game-data/tree-link/fuzz";
import { extractPayload, TreeLinkUrlError } from "@game-data/tree-link/url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { otherFiles } from "../scripts/vectors.ts";
import { killMatrix } from "../scripts/vectors/select.ts";
import { expand } from "../src/Vectors.ts";
import { faults } from "./faults/faults.ts";
import { plainCodec } from "./faults/plainCodec.ts";
import { thrown } from "./support.ts";

const folder = join(import.meta.dirname, "../vectors");
const read = (name: string) => JSON.parse(readFileSync(join(folder, name), "utf8"));
const { cases, flags }: VectorFile = read("tree-link.json");
const others = (name: string): ReadonlyArray<any> => read(name).cases;

const ours = {
  decode: (payload: string) => {
    const result = safeDecode(payload);
    return result.ok ? result.link : undefined;
  },
  encode: (link: unknown) => {
    try {
      return encode(link as never);
    } catch (error) {
      if (error instanceof TreeLinkError) return undefined;
      throw error;
    }
  },
};

describe("the files", () => {
  it.each([...otherFiles()])("%s is fresh", (name, text) => {
    expect(readFileSync(join(folder, name), "utf8")).toBe(text);
  });

  it.each(["tree-link", "urls", "conversions"])("%s.json follows its schema", (name) => {
    const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false });
    const validate = ajv.compile(read(`${name}.schema.json`));
    const file = read(`${name}.json`);
    expect([validate(file), validate.errors]).toEqual([true, null]);
    expect(validate({ ...file, cases: [...file.cases, { id: "x" }] })).toBe(false);
  });

  it("weigh little, and tell of each flag", () => {
    expect(statSync(join(folder, "tree-link.json")).size).toBeLessThanOrEqual(150_000);
    const used = new Set(cases.flatMap((one) => one.flags));
    for (const flag of used) expect(flags[flag]).toMatch(/\.$/u);
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
  });
});

describe("faulty codecs", () => {
  const refusing = killMatrix(cases, faults);

  it("are all refused, and the control is not", () => {
    expect(faults.length).toBeGreaterThanOrEqual(150);
    expect(new Set(faults.map(({ name }) => name)).size).toBe(faults.length);
    expect([...refusing].filter(([, killers]) => killers.length === 0)).toEqual([]);
    expect(cases.filter((one) => !passes(plainCodec(), one))).toEqual([]);
  });

  it("would be reported: a control that disagrees, a fault that no case refuses", () => {
    const wrong: VectorCase = { ...cases[0]!, result: "invalid" };
    expect(() => killMatrix([wrong], faults)).toThrow("the control disagrees");
    const matrix = killMatrix(cases.slice(0, 1), faults);
    expect([...matrix].some(([, killers]) => killers.length === 0)).toBe(true);
  });
});

describe("the codec", () => {
  it("agrees with every case", () => {
    expect(cases.filter((one) => !passes(ours, one))).toEqual([]);
  });

  it("refuses for the reason and at the place that the case names", () => {
    for (const one of cases.filter(({ result }) => result === "invalid")) {
      const { offset, reason } = thrown(() =>
        one.direction === "decode" ? decode(one.payload!) : encode(expand(one.link!) as never),
      );
      expect([one.id, reason, offset]).toEqual([one.id, one.reason, one.offset]);
    }
  });

  it("finds the payload of every text", () => {
    for (const { found, id, lenient, refused, text } of others("urls.json")) {
      const find = () => ({ id, ...extractPayload(text, { lenient }) });
      if (refused === undefined) expect(find()).toEqual({ id, ...found });
      else expect(find).toThrow(new TreeLinkUrlError(refused));
    }
  });

  it("converts every conversion case, and names its losses", () => {
    for (const { from, id, lost, payload, to } of others("conversions.json")) {
      const link = decode(from);
      expect([id, losses(link, to)]).toEqual([id, lost]);
      expect([id, encode(convert(link, to, { allowLoss: true }).link)]).toEqual([id, payload]);
      if (lost.length > 0) expect(() => convert(link, to)).toThrow("No room");
    }
  });
});
