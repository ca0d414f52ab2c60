import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { failureCodes } from "@game-data/terminal/failureCodes";

it("the README has every failure code beside its exit code", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const told = [...readme.matchAll(/^\| (\d+) +\| (`.*`) +\|$/gmu)].flatMap(([, exit, codes]) =>
    codes!.split(", ").map((code) => [code.slice(1, -1), Number(exit)]),
  );
  const entries = Object.entries(failureCodes).map(([code, { exitCode }]) => [code, exitCode]);
  expect(Object.fromEntries(told)).toEqual(Object.fromEntries(entries));
});
