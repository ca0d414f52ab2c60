import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { gamedata } from "../src/Cli.ts";
import { failureCodes } from "@game-data/terminal/failureCodes";

it("the README has every failure code beside its exit code", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const told = [...readme.matchAll(/^\| (\d+) +\| (`.*`) +\|$/gmu)].flatMap(([, exit, codes]) =>
    codes!.split(", ").map((code) => [code.slice(1, -1), Number(exit)]),
  );
  const entries = Object.entries(failureCodes).map(([code, { exitCode }]) => [code, exitCode]);
  expect(Object.fromEntries(told)).toEqual(Object.fromEntries(entries));
});

it("the README names every command", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const commands = gamedata.subcommands.flatMap((group) => group.commands.map(({ name }) => name));
  expect(commands.length).toBeGreaterThan(15);
  expect(commands.filter((name) => !new RegExp(`\`${name}[ \`,]`, "u").test(readme))).toEqual([]);
});
