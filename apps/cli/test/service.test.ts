/** Commands that talk to the service, over a sandbox. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { parametersOf, type RouteName, routes } from "@game-data/contract/routes";
import { String as Str } from "effect";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { usePrompt, useService } from "./support/gamedata.ts";

const service = useService({ rates: "off", world: { streamHistoryPages: 2, streamPageSize: 20 } });
const prompt = usePrompt();
beforeAll(() => {
  prompt.env = service.env("example-web");
});
const linesOf = (text: string) => text.trimEnd().split(/\r?\n/u);

it("gamedata has a command for each operation that reads, and each prints a response", async () => {
  const first = async (...line: ReadonlyArray<string>) => (await prompt.json(line))[0];
  const { league, name: character } = await first("characters", "list");
  const names: Readonly<Record<string, string>> = {
    ...{ league, name: character },
    match: (await first("pvp-matches", "list")).id,
    id: (await first("item-filters", "list")).id,
    "stashes.stash_id": (await first("stashes", "list", league)).id,
    "guildStashes.stash_id": (await first("guild-stashes", "list", league)).id,
  };
  const reading = Object.entries(routes).filter(([, { method }]) => method === "GET");
  const responses = new Map<string, unknown>();
  for (const [operation] of reading) {
    const [of = "", method = ""] = operation.split(".");
    const parameters = parametersOf(operation as RouteName);
    const needed = parameters.filter(({ required }) => required);
    const args = needed.map(({ name }) => names[`${of}.${name}`] ?? names[name] ?? name);
    // Every realm is accepted, the usual one as well.
    const realm = parameters.some(({ name }) => name === "realm") ? ["--realm", "pc"] : [];
    const line = [Str.kebabCase(of), Str.kebabCase(method), ...args, ...realm];
    responses.set(operation, await prompt.json(line));
  }
  expect(responses.size).toBeGreaterThanOrEqual(20);
  for (const response of responses.values()) expect(response).toEqual(expect.any(Object));
});

it("leagues list prints a table, or one JSON value per line with --ndjson", async () => {
  const table = linesOf((await prompt.run("leagues list")).stdout);
  expect(table[0]).toMatch(/^id +category\.id +startAt +endAt$/u);
  const ndjson = linesOf((await prompt.run("leagues list --ndjson")).stdout);
  expect(ndjson.map((line) => JSON.parse(line))).toEqual(await prompt.json("leagues list"));
  expect(table).toHaveLength(ndjson.length + 1);
  const facts = (await prompt.run("leagues get Standard")).stdout;
  expect(facts).toMatch(/^id +Standard$/mu);
});

it("reading commands exit with 66 for null, and with 65 for a parameter that the contract refuses", async () => {
  const next = "see what there is with: gamedata leagues list";
  const absent = await prompt.error("leagues get Nowhere");
  expect(absent).toMatchObject({ code: "NotFound", exitCode: 66, next });
  const season = await prompt.error("leagues list --type season");
  expect(season).toMatchObject({ code: "InvalidRequest", exitCode: 65, stdout: "" });
  expect(season.message).toContain("season is needed for type season");
  expect(await prompt.error("pvp-matches ladder M --limit 4711")).toMatchObject({ exitCode: 65 });
});

it("ladder export writes CSV, JSON or NDJSON, by the name of the file", async () => {
  const out = (name: string) => join(prompt.home, name);
  const write = (name: string) =>
    prompt.run(["ladder", "export", "Standard", "--limit", "700", "--out", out(name)]);
  for (const name of ["ranks.csv", "ranks.json", "ranks.ndjson"])
    expect(await write(name)).toMatchObject({ code: 0, stdout: "" });
  const ranks = JSON.parse(readFileSync(out("ranks.json"), "utf8"));
  expect(ranks.map(({ rank }: { rank: number }) => rank)).toEqual(
    Array.from({ length: 700 }, (_, index) => index + 1),
  );
  const ndjson = linesOf(readFileSync(out("ranks.ndjson"), "utf8"));
  expect(ndjson.map((line) => JSON.parse(line))).toEqual(ranks);
  const csv = linesOf(readFileSync(out("ranks.csv"), "utf8"));
  expect(csv[0]).toBe("rank,character,class,level,experience,depth,account");
  expect(csv).toHaveLength(701);
  const text = await prompt.error("ladder export Standard --out a.txt");
  expect(text).toMatchObject({ code: "Usage", exitCode: 64 });
  const witches = await prompt.run("ladder export Standard --class witch --limit 5");
  expect(linesOf(witches.stdout)).toHaveLength(5);
});

it("ladder export leaves no file behind if it fails", async () => {
  const folder = join(prompt.home, "exports");
  const out = join(folder, "ranks.csv");
  const failed = await prompt.error(["ladder", "export", "Standard", "--out", out]);
  expect(failed).toMatchObject({ code: "FileUnwritable", exitCode: 74 });
  writeFileSync(join(prompt.home, "before.ndjson"), "before");
  const unknown = ["ladder", "export", "Nowhere", "--out", join(prompt.home, "before.ndjson")];
  expect((await prompt.run(unknown)).code).toBe(66);
  expect(existsSync(folder)).toBe(false);
  expect(readFileSync(join(prompt.home, "before.ndjson"), "utf8")).toBe("before");
  expect(readdirSync(prompt.home).filter((name) => name.startsWith("before"))).toHaveLength(1);
});

it("stash export writes one tab per line", async () => {
  const [{ league }] = await prompt.json("characters list");
  const { code, stdout } = await prompt.run(["stash", "export", league, "--realm", "pc"]);
  const tabs = linesOf(stdout).map((line) => JSON.parse(line));
  const listed = JSON.stringify(await prompt.json(["stashes", "list", league]));
  expect(code).toBe(0);
  expect(tabs.length).toBeGreaterThan(5);
  for (const { id } of tabs) expect(listed).toContain(id);
  expect(tabs.some(({ items }) => items.length > 0)).toBe(true);
});

it("filter push, validate and pull upload, check and download an item filter", async () => {
  const good = join(prompt.home, "good.filter");
  const bad = join(prompt.home, "bad.filter");
  writeFileSync(good, 'Show\n    BaseType "Gilt Orb"\n');
  writeFileSync(bad, 'Show\n    BaseType "Gilt Orb\n');
  const push = (file: string, ...more: ReadonlyArray<string>) => [
    ...["filter", "push", file, "--name", "Mine", "--validate", ...more],
  ];
  const created = await prompt.json(push(good));
  expect(created).toMatchObject({ status: "created", filter: { validation: { valid: true } } });
  const { id } = created.filter;
  const again = await prompt.json(push(good, "--description", "again"));
  expect(again).toMatchObject({ status: "updated", filter: { id, description: "again" } });
  expect(await prompt.error(push(bad))).toMatchObject({ code: "InvalidRequest", exitCode: 65 });
  expect((await prompt.run(["filter", "pull", id])).stdout).toBe(readFileSync(good, "utf8"));
  expect(await prompt.json(["filter", "validate", id])).toMatchObject({ filter: { id } });
  expect(await prompt.error(["filter", "push", good])).toMatchObject({ exitCode: 64 });
});

it("gamedata api sends a request to any path, with the scopes of its operation", async () => {
  const profile = JSON.parse((await prompt.run("api /profile")).stdout);
  expect(profile).toMatchObject({ name: expect.any(String) });
  const posted = await prompt.run([
    ...["api", "/item-filter", "-F", "filter_name=Api", "-F", "realm=pc", "-F", "type=Normal"],
    ...["-F", "filter=Show", "-F", "version=3.90.0", "-F", "description="],
  ]);
  expect(JSON.parse(posted.stdout)).toMatchObject({ filter: { filter_name: "Api" } });
  const two = "api /item-filter -F a=b --input filter.json";
  const hosts = ["api profile", "api //other.example/x"];
  for (const wrong of [...hosts, two, "api /x -X GET -F a=b", "api /x -F a", "api /nope"])
    expect(await prompt.error(wrong)).toMatchObject({ code: "Usage", exitCode: 64 });
});

it("gamedata limits reports rate-limit windows and a forecast, with small requests", async () => {
  const limits = await prompt.json("limits --count 5");
  expect(limits.map(({ route }: { route: string }) => route)).toContain("GET /league");
  const journal = await service.sandbox.control("GET", "/journal?endpoint=leagues.list");
  expect(JSON.stringify(journal)).toContain('"query":"limit=1"');
  expect(await prompt.error("limits --count 0")).toMatchObject({ exitCode: 64 });
});

it("doctor checks the settings, the token store, the addresses and the sign-in", async () => {
  const findings = await prompt.json("doctor");
  expect(findings.every(({ isGood }: { isGood: boolean }) => isGood)).toBe(true);
  const env = { GAME_DATA_BASE_URL: "http://127.0.0.1:1" };
  const { code, stdout } = await prompt.run("doctor", { env });
  expect(code).toBe(69);
  expect(stdout).toMatch(/^✗ data API .*does not respond/mu);
  expect(stdout).toMatch(/^✓ OAuth server /mu);
  const page = await serveHeaders({ "content-type": "text/html" });
  const others = { GAME_DATA_AUTH_URL: page, GAME_DATA_BASE_URL: page };
  const wrong = await prompt.run("doctor", { env: others });
  for (const check of ["OAuth server", "data API"])
    expect(wrong.stdout).toMatch(new RegExp(`✗ ${check} .*HTTP 200 without JSON`, "u"));
});

it("doctor reports a clock that differs by more than a minute as a problem, with the next step", async () => {
  const run = async (skewMillis: number) => {
    const date = new Date(Date.now() - skewMillis).toUTCString();
    const address = await serveHeaders({ "content-type": "application/json", date });
    return prompt.run("doctor", { env: { GAME_DATA_AUTH_URL: address } });
  };
  for (const skewMillis of [3_600_000, -3_600_000]) {
    const { code, stdout } = await run(skewMillis);
    expect(code).toBe(78);
    expect(stdout).toMatch(
      /^✗ OAuth server .*, but its clock differs by 3\d{3} seconds\.\n  → set this machine's clock/mu,
    );
  }
  expect((await run(30_000)).stdout).toMatch(/^✓ OAuth server .* responds$/mu);
});

/** Serves empty responses with these headers until the test ends. */
const serveHeaders = async (headers: Readonly<Record<string, string>>) => {
  const server = createServer((_, response) => response.writeHead(200, headers).end());
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};
