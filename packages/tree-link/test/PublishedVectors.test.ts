/**
 * The published vectors: the files are fresh, follow their schemas, and the codec agrees with every
 * case. Readers in other languages are in `vectors/runners`.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decode, decodeBytes, encode, encodeBytes, safeDecode } from "@game-data/tree-link";
import { convert, losses } from "@game-data/tree-link/convert";
import { extractPayload, TreeLinkUrlError } from "@game-data/tree-link/url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { vectorFiles } from "../scripts/vectors.ts";

const folder = join(import.meta.dirname, "../vectors");
const read = (name: string) => JSON.parse(readFileSync(join(folder, name), "utf8"));
const cases = (name: string): ReadonlyArray<any> => read(name).cases;

describe("the files", () => {
  it.each([...vectorFiles()])("%s is fresh", (name, text) => {
    expect(readFileSync(join(folder, name), "utf8")).toBe(text);
  });

  it("follow their schemas", () => {
    const ajv = new Ajv2020({ strict: true, strictRequired: false });
    for (const name of vectorFiles().keys()) {
      const validate = ajv.compile(read(name.replace(".json", ".schema.json")));
      expect([validate(read(name)), validate.errors]).toEqual([true, null]);
      expect(validate({ ...read(name), cases: [{ id: "x" }] })).toBe(false);
    }
  });

  it("hold a thousand cases, each with a sentence", () => {
    const all = [...vectorFiles().keys()].flatMap((name) => cases(name));
    expect(all.length).toBeGreaterThanOrEqual(1_000);
    for (const { why } of all) expect(why).toMatch(/^[“0-9A-Za-z].+\.$/su);
  });
});

describe("the codec", () => {
  it("reads and writes every valid case, padded or not", () => {
    for (const { bytes, id, link, payload, unpadded } of cases("valid.json")) {
      expect([id, decode(payload)]).toEqual([id, link]);
      expect([id, decode(unpadded)]).toEqual([id, link]);
      expect([id, encode(link)]).toEqual([id, payload]);
      expect([id, encode(link, { padding: false })]).toEqual([id, unpadded]);
      expect([id, Buffer.from(encodeBytes(link)).toString("hex")]).toEqual([id, bytes]);
      expect([id, decodeBytes(Buffer.from(bytes, "hex"))]).toEqual([id, link]);
    }
  });

  it("refuses every refused case, for its reason and at its place", () => {
    for (const { error, id, payload } of cases("refused.json")) {
      const result = safeDecode(payload);
      const { field, offset, reason, unit } = result.ok ? ({} as never) : result.error;
      const found = { reason, unit, offset, ...(field === undefined ? {} : { field }) };
      expect([id, found]).toEqual([id, error]);
    }
  });

  it("finds the payload of every text", () => {
    for (const { found, id, lenient, refused, text } of cases("urls.json")) {
      let outcome: unknown;
      try {
        outcome = extractPayload(text, { lenient });
      } catch (error) {
        expect(error).toBeInstanceOf(TreeLinkUrlError);
        outcome = (error as TreeLinkUrlError).reason;
      }
      expect([id, outcome]).toEqual([id, found ?? refused]);
    }
  });

  it("converts every conversion case, and names its losses", () => {
    for (const { from, id, lost, payload, to } of cases("conversions.json")) {
      const link = decode(from);
      expect([id, losses(link, to)]).toEqual([id, lost]);
      expect([id, encode(convert(link, to, { allowLoss: true }).link)]).toEqual([id, payload]);
      if (lost.length > 0) expect(() => convert(link, to)).toThrow("No room");
    }
  });
});
