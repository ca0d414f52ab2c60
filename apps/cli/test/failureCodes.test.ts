import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { catalogue } from "@game-data/terminal/failureCodes";
import { ExitCode } from "@game-data/terminal/ExitCode";
import { described, explanations, explanationsOf } from "../src/output/explain.ts";
import { errorTags } from "@game-data/terminal/toFailure";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

describe("the catalogue", () => {
  it("has an exit code of the list for every code, and the README has both", () => {
    const told = [...readme.matchAll(/^\| (\d+) +\| (`.*`) +\|$/gmu)].flatMap(([, exit, codes]) =>
      codes!.split(", ").map((code) => [code.slice(1, -1), Number(exit)]),
    );
    const entries = Object.entries(catalogue).map(([code, { exitCode }]) => [code, exitCode]);
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(entries));
    for (const [, exitCode] of entries) expect(Object.values(ExitCode)).toContain(exitCode);
  });

  it("is where every failure comes from", () => {
    const source = new URL("../src/", import.meta.url);
    const made = readdirSync(source)
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) => [
        ...readFileSync(new URL(file, source), "utf8").matchAll(/new Failure\(\{\s+code: "/gu),
      ]);
    expect(made).toEqual([]);
  });
});

describe("an explanation", () => {
  it("is there for every code and for every error of the packages", () => {
    expect(explanations().map(({ code }) => code)).toEqual(Object.keys(catalogue));
    for (const tag of Object.values(errorTags).flatMap(Object.keys))
      expect(explanationsOf(tag).length).toBeGreaterThan(0);
  });

  it("is one for a tag, and none for another word", () => {
    expect(explanationsOf("RateLimited").map((each) => each.package)).toEqual([
      "@game-data/api-client",
    ]);
    expect(explanationsOf("toString")).toEqual([]);
  });

  it("tells people the exit code, the meaning and the next step", () => {
    const [limited] = explanationsOf("rate-limited");
    expect(described(limited!)).toMatch(/exit code +75\nmeans +The rate limit holds\.\nnext +try/u);
  });
});
