/**
 * The fuzz kit and the generators, judged by the faulty codecs of `test/faults/` that they find;
 * the command, by a program in another language.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decode, encode, safeDecode } from "@game-data/tree-link";
import { link, nearlyInput, nearlyPayload } from "@game-data/tree-link/arbitrary";
import { type Codec, fuzz } from "@game-data/tree-link/fuzz";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isEqual } from "../src/Vectors.ts";
import { faults } from "./faults/faults.ts";
import { plainCodec } from "./faults/plainCodec.ts";

const faulty = (name: string): Codec =>
  plainCodec(faults.find((fault) => fault.name === name)!.switches);
const textOf = (codec: Codec, cases = 4_000) =>
  fuzz(codec, { cases }).findings.map(({ input }) => ("decode" in input ? input.decode : ""));

describe("fuzz", () => {
  it("finds nothing in the control", () => {
    expect(fuzz(plainCodec(), { cases: 20_000 })).toEqual({ cases: 20_000, findings: [] });
  });

  it("finds faults of every kind, by short inputs", () => {
    const flags = Map.groupBy(faults, ({ flag }) => flag);
    for (const [flag, all] of flags) {
      const { findings } = fuzz(plainCodec(all[0]!.switches), { cases: 4_000 });
      expect([flag, findings.length > 0]).toEqual([flag, true]);
    }
    for (const text of textOf(faulty("trims the text"))) expect(text.length).toBeLessThan(17);
    expect(fuzz(faulty("loses the 255th of masteries")).findings[0]?.kind).toContain("masteries");
  });

  it("finds the 255th mastery that is lost", () => {
    const lossy: Codec = {
      decode: (payload) => {
        const read = plainCodec().decode(payload) as any;
        return read?.masteries?.length === 255
          ? { ...read, masteries: read.masteries.slice(0, 254) }
          : read;
      },
    };
    expect(fuzz(lossy, { cases: 1_000 }).findings).toHaveLength(1);
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

  it("takes what a codec throws for a finding", () => {
    const [found] = fuzz({ decode }, { cases: 1_000 }).findings;
    expect(found).toMatchObject({ kind: "decode throws", found: "threw TreeLinkError" });
  });

  it("ends after the seconds that it is given", () => {
    expect(fuzz(plainCodec(), { seconds: 0 })).toEqual({ cases: 0, findings: [] });
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

  it("find four of five faulty codecs in 300 runs", () => {
    const found = faults.filter(({ switches }) => !passes(plainCodec(switches)));
    expect(found.length).toBeGreaterThan(faults.length * 0.8);
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
    const guide = readFileSync(
      join(import.meta.dirname, "../../../docs/guides/tree-link.md"),
      "utf8",
    );
    const printed = /```py\n(.*?)\n```/su.exec(guide)?.[1];
    expect(`${printed}\n`).toBe(readFileSync(codec, "utf8"));
  });

  it("tells with its exit code that nothing could be learned", async () => {
    expect(await run(["fuzz", "--", process.execPath, "-e", "0"])).toMatchObject({ code: 2 });
  });
});
