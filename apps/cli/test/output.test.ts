/** How results, failures and help look. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Console, Effect, Stdio } from "effect";
import { TestClock } from "effect/testing";
import { beforeAll, expect, it } from "vitest";
import { reportWaits } from "../src/connect.ts";
import { EXIT_CODES } from "../src/failures.ts";
import { gamedata } from "../src/Cli.ts";
import { usePrompt, useService } from "./support/gamedata.ts";

const service = useService({ rates: "off" });
const prompt = usePrompt();
beforeAll(() => {
  prompt.env = service.env("example-web");
});

/** Changes the responses of an operation. */
const patch = (endpoint: string, changes: Readonly<Record<string, unknown>>) =>
  service.sandbox.fault({ match: { endpoint }, fault: { kind: "merge", patch: changes } });

it("leagues list escapes control characters of a league's name in each format", async () => {
  const id = "Evil\u001B[2J\u202Eeman\nerror: fake\r\u0007";
  await patch("leagues.list", { leagues: [{ id, realm: "pc", category: null, startAt: null }] });
  for (const format of ["", " --json", " --ndjson"]) {
    const { stdout } = await prompt.run(`leagues list${format}`);
    // oxlint-disable-next-line no-control-regex
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u202E]/u);
    expect(stdout).not.toMatch(/^error: fake/mu);
    if (format !== "") expect([JSON.parse(stdout)].flat()).toMatchObject([{ id }]);
  }
});

it("ladder export writes no formula into CSV, unless --raw is given", async () => {
  const character = { id: "c", name: "=cmd|'/C calc'!A0", level: 1, class: "Witch", experience: 5 };
  const entries = [{ rank: 1, character, account: { name: "A;B" } }];
  await patch("leagues.ladder", { league: { entries } });
  const csv = ["ladder", "export", "Standard", "--limit", "1", "--format", "csv"];
  expect((await prompt.run(csv)).stdout).toContain(`1,'=cmd|'/C calc'!A0,Witch,1,5,,"A;B"`);
  expect((await prompt.run([...csv, "--raw"])).stdout).toContain("1,=cmd|");
});

it.each([
  ["stash show", 'Unknown subcommand "show" for "gamedata stash". Is export meant?'],
  ["lagues list", 'Unknown subcommand "lagues" for "gamedata". Is leagues meant?'],
  ["leagues list --offfset 1", "Is --offset meant?"],
  // No flag has most of its letters.
  ["leagues list --nope", "Unrecognized flag: --nope in command gamedata leagues list\n"],
])("a misspelt command exits with 64 and the nearest name: %s", async (line, sentence) => {
  const { code, stderr, stdout } = await prompt.run(line);
  expect([code, stdout]).toEqual([64, ""]);
  expect(stderr).toContain(sentence);
});

it("commands exit with 69, not 77, if a firewall in front of the service responds", async () => {
  const fault = { kind: "firewallPage" } as const;
  await service.sandbox.fault({ match: { endpoint: "characters.list" }, fault });
  const next = expect.stringContaining("wait");
  expect(await prompt.error("characters list")).toMatchObject({ exitCode: 69, next });
});

it("reportWaits reports each wait of 3 seconds for the rate limits once, and no shorter wait", async () => {
  const reports: Array<unknown> = [];
  let requests = 0;
  const counts = Effect.gen(function* () {
    yield* Effect.forkChild(reportWaits(Effect.sync(() => requests)));
    return yield* Effect.forEach([1, 0, 1, 1, 1, 0, 2, 2], (waiting) => {
      requests = waiting;
      return Effect.map(TestClock.adjust("2 seconds"), () => reports.length);
    });
  }).pipe(
    Effect.provide([TestClock.layer(), Stdio.layerTest({})]),
    Effect.provideService(Console.Console, { ...console, error: (text) => reports.push(text) }),
  );
  expect(await Effect.runPromise(counts)).toEqual([0, 0, 0, 1, 1, 1, 1, 2]);
});

it("the README names every exit code", () => {
  const codes = Object.entries(EXIT_CODES).map(([code, names]) => [code, names.split(/\s+/u)]);
  const all = codes.flatMap(([, names]) => names);
  expect(new Set(all).size).toBe(all.length);
  const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
  for (const [code] of codes) expect(readme).toMatch(new RegExp(`^\\| ${code} +\\|`, "mu"));
});

it("schemas check names a file that is missing, unreadable or not JSON, without quoting it", async () => {
  const broken = join(prompt.home, "broken.json");
  writeFileSync(broken, '{"token": "hunter2"');
  const check = (file: string) => prompt.error(["schemas", "check", "Item", file]);
  expect(await check("none.json")).toMatchObject({ code: "FileNotFound", exitCode: 66 });
  expect(await check(prompt.home)).toMatchObject({ code: "FileUnreadable", exitCode: 74 });
  const error = await check(broken);
  expect(error).toMatchObject({ code: "BadJson", exitCode: 65 });
  expect(JSON.stringify(error)).not.toContain("hunter2");
});

it("schemas check validates records, bodies and responses, and prints no value", async () => {
  const filter = { id: "a", filter_name: "Mine", realm: "pc", description: "", version: "1" };
  const check = async (kind: string, value: object) => {
    const line = ["schemas", "check", kind, "-"];
    const { code, stdout } = await prompt.run(line, { input: JSON.stringify(value) });
    expect(stdout).not.toMatch(/Secret|x-y/u);
    return { code, ...JSON.parse(stdout || "{}") };
  };
  expect(await check("ItemFilter", { ...filter, type: "Secret", more: "x-y" })).toMatchObject({
    ...{ code: 0, valid: true, issues: [] },
    drift: [{ pointer: "/more" }, { pointer: "/type" }],
  });
  expect(await check("ItemFilter", { ...filter, type: "Normal", version: 3 })).toMatchObject({
    ...{ code: 65, valid: false },
    issues: [{ pointer: "/version" }],
  });
  const page = { next_change_id: "1", stashes: [] };
  expect(await check("PublicStashPage", page)).toMatchObject({ code: 0 });
  const kinds = await prompt.json("schemas kinds");
  expect(kinds).toEqual(expect.arrayContaining(["Item", "stashes.get"]));
  expect(await check("Thing", {})).toEqual({ code: 64 });
});

/** The words of every command, the root's first. */
const lines = (
  command: { readonly subcommands: typeof gamedata.subcommands },
  words: ReadonlyArray<string> = [],
): ReadonlyArray<ReadonlyArray<string>> => {
  const inner = command.subcommands.flatMap(({ commands }) => commands);
  return [words, ...inner.flatMap((each) => lines(each, [...words, each.name]))];
};

it.each([80, 40])("--help of each command is at most %i columns wide", async (columns) => {
  for (const words of lines(gamedata)) {
    const { stdout } = await prompt.run([...words, "--help"], { columns });
    // An address is not broken, so that it can be copied.
    const texts = stdout.split("\n").filter((text) => !text.includes("://"));
    expect(texts.filter((text) => text.length > columns)).toEqual([]);
  }
});

it("the README names every command", () => {
  const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
  const commands = gamedata.subcommands.flatMap((each) => each.commands.map(({ name }) => name));
  expect(commands.filter((name) => !readme.includes(`\`${name}`))).toEqual([]);
});
