import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { failureCodes } from "@game-data/terminal/failureCodes";
import { ExitCode } from "@game-data/terminal/ExitCode";
import { explanationFacts, explanations, explanationsFor } from "../src/output/explain.ts";
import { errorTags } from "@game-data/terminal/toFailure";
import { render } from "@game-data/terminal/View";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

describe("the failureCodes", () => {
  it("has an exit code of the list for every code, and the README has both", () => {
    const told = [...readme.matchAll(/^\| (\d+) +\| (`.*`) +\|$/gmu)].flatMap(([, exit, codes]) =>
      codes!.split(", ").map((code) => [code.slice(1, -1), Number(exit)]),
    );
    const entries = Object.entries(failureCodes).map(([code, { exitCode }]) => [code, exitCode]);
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(entries));
    for (const [, exitCode] of entries) expect(Object.values(ExitCode)).toContain(exitCode);
  });
});

describe("an explanation", () => {
  it("is there for every code and for every error of the packages", () => {
    expect(explanations().map(({ code }) => code)).toEqual(Object.keys(failureCodes));
    for (const tag of Object.values(errorTags).flatMap(Object.keys))
      expect(explanationsFor(tag).length).toBeGreaterThan(0);
  });

  it("is empty for an unknown word", () => {
    expect(explanationsFor("toString")).toEqual([]);
  });

  it("tells people the exit code, the meaning and the next step", () => {
    const [limited] = explanationsFor("rate-limited");
    const shown = render(explanationFacts(limited!), { color: false });
    expect(shown).toMatch(/exit code +75\nmeaning +A rate limit is in force\.\nnext +try/u);
  });
});
