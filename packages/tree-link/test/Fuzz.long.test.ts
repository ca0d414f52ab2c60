/**
 * The fuzz kit and the generators, judged by the faulty codecs of `test/faults/` that they find;
 * the command, by a program in another language.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { encode, safeDecode } from "@game-data/tree-link";
import { link, nearlyInput, nearlyPayload } from "@game-data/tree-link/arbitrary";
import { type Codec, fuzz } from "@game-data/tree-link/fuzz";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isEqual } from "../src/Vectors.ts";
import { faults } from "./faults/faults.ts";
import { type Fault, plainCodec } from "./faults/plainCodec.ts";

describe("fuzz", () => {
  it("finds nothing in the control", () => {
    expect(fuzz(plainCodec(), { cases: 20_000 })).toEqual({ cases: 20_000, findings: [] });
  });

  it("finds faults of every kind, by short inputs", () => {
    const flags = Map.groupBy(faults, ({ flag }) => flag);
    const isFound = ({ switches }: Fault) =>
      fuzz(plainCodec(switches), { cases: 4_000 }).findings.length > 0;
    for (const [flag, all] of flags) expect([flag, all.some(isFound)]).toEqual([flag, true]);
    expect(isFound(faults.find(({ name }) => name === "refuses 255 masteries")!)).toBe(true);
    const trims: Codec = { decode: (text) => plainCodec().decode(text.trim()) };
    for (const { input } of fuzz(trims, { cases: 4_000 }).findings)
      expect("decode" in input && input.decode.length).toBeLessThan(17);
  });

  it("asks the same for the same seed, and something else for another", () => {
    const asked = (seed: number) => {
      const texts: Array<string> = [];
      const decodeAndKeep = (text: string) => {
        texts.push(text);
        return plainCodec().decode(text);
      };
      fuzz({ decode: decodeAndKeep }, { cases: 6_000, seed });
      return texts.join("\n");
    };
    expect(asked(7)).toBe(asked(7));
    expect(asked(7)).not.toBe(asked(8));
  });
});

describe("the generators", () => {
  const options = { numRuns: 300, seed: 5 };
  const links = fc.sample(link, options);
  const near = fc.sample(nearlyPayload, options);
  const wrong = fc.sample(nearlyInput, options);
  const expected = near.map((text) => {
    const result = safeDecode(text);
    return result.ok ? result.link : undefined;
  });
  const passes = (codec: Codec) =>
    links.every((one) => isEqual(codec.decode(encode(one)), one)) &&
    links.every((one) => codec.encode!(one) === encode(one)) &&
    near.every((text, i) => {
      const read = codec.decode(text);
      return isEqual(read, expected[i]) || (read === undefined && text.length % 4 !== 0);
    }) &&
    wrong.every((one) => codec.encode!(one) === undefined);

  it("let the control pass", () => {
    expect(passes(plainCodec())).toBe(true);
  });

  it("find two of three faulty codecs in 300 runs, though each has the narrowest fault", () => {
    const found = faults.filter(({ switches }) => !passes(plainCodec(switches)));
    expect(found.length).toBeGreaterThan(faults.length * 0.66);
  });
});

describe("the command", () => {
  const program = join(import.meta.dirname, "../src/command/main.ts");
  const python = process.env["GAME_DATA_PYTHON"] ?? "python3";
  const codec = join(import.meta.dirname, "../vectors/runners/codec.py");
  const run = async (args: ReadonlyArray<string>) => {
    const child = spawn(process.execPath, [program, ...args]);
    let stdout = "";
    child.stdout.on("data", (part: Buffer) => (stdout += part.toString()));
    child.stderr.resume();
    const [code] = await once(child, "close");
    return { code, lines: stdout.split("\n").filter((line) => line !== "") };
  };
  it("passes a codec in Python", async () => {
    const vectors = await run(["vectors", "--", python, codec]);
    expect(vectors).toEqual({ code: 0, lines: [] });
    const fuzzed = await run(["fuzz", "--seed", "1", "--cases", "5000", "--", python, codec]);
    expect(fuzzed).toEqual({ code: 0, lines: [] });
  });

  it("passes the codec that the guide prints", () => {
    const file = join(import.meta.dirname, "../../../docs/guides/tree-link.md");
    const printed = /```py\n(.*?)\n```/su.exec(readFileSync(file, "utf8"))?.[1];
    expect(`${printed}\n`).toBe(readFileSync(codec, "utf8"));
  });

  it("tells with its exit code that nothing could be learned", async () => {
    expect(await run(["fuzz", "--", process.execPath, "-e", "0"])).toMatchObject({ code: 2 });
  });
});
