/** Every command that reads or writes at the service, as an application with a secret. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { storedTokens, usePrompt, useService } from "./support/gamedata.ts";

const service = useService();
const prompt = usePrompt();
beforeAll(() => {
  prompt.env = service.envOf("example-web");
});

const linesOf = (text: string) => text.trimEnd().split("\n");

describe("the account", () => {
  it("lists characters as a table, as JSON and as lines", async () => {
    const all = await prompt.json("characters");
    expect(all.length).toBeGreaterThan(3);
    const [table, lines] = await Promise.all([
      prompt.run("characters"),
      prompt.run("characters --ndjson"),
    ]);
    const [title, ...rows] = linesOf(table.stdout);
    expect(title).toMatch(/^name +class +level +league +realm$/u);
    expect(rows).toHaveLength(all.length);
    expect(linesOf(lines.stdout).map((line) => JSON.parse(line))).toEqual(all);
  });

  it("shows one character, and another realm's", async () => {
    const [{ name }] = await prompt.json("characters");
    const character = await prompt.json(["characters", name]);
    expect(character).toMatchObject({ name, equipment: expect.any(Array) });
    const shown = await prompt.run(["characters", name]);
    expect(shown.stdout).toContain(character.equipment[0].typeLine);
    const others = await prompt.json("characters --realm game2");
    expect(others.every((each: { realm: string }) => each.realm === "game2")).toBe(true);
    expect(await prompt.error("characters Nobody")).toMatchObject({
      code: "not-found",
      next: "list them with: gamedata characters",
    });
  });

  it("lists and shows tabs, and those within tabs", async () => {
    const tabs = await prompt.json("stash list Standard");
    const child = tabs.find((tab: { parent?: string }) => tab.parent !== undefined);
    const inner = await prompt.json(["stash", "get", "Standard", child.parent, child.id]);
    expect(inner).toMatchObject({ id: child.parent, children: [{ id: child.id }] });
    const shown = await prompt.run(["stash", "get", "Standard", tabs[0].id]);
    expect(shown.stdout).toMatch(/^ *x +y +item/mu);
    expect(await prompt.error("stash get Standard 0123456789")).toMatchObject({
      exit: 66,
      next: "list them with: gamedata stash list Standard",
    });
    const guild = await prompt.json("guild-stash list Standard");
    expect(await prompt.json(["guild-stash", "get", "Standard", guild[0].id])).toMatchObject({
      id: guild[0].id,
    });
  });

  it("exports a whole stash, into a file or a pipe, all of it or nothing", async () => {
    const out = join(prompt.home, "stash.ndjson");
    const [intoFile, intoPipe] = await Promise.all([
      prompt.run(["stash", "export", "Standard", "--out", out]),
      prompt.run("stash export Standard"),
    ]);
    expect([intoFile.code, intoFile.stdout, intoPipe.code]).toEqual([0, "", 0]);
    expect(intoFile.stderr).toMatch(/\d+ tabs with \d+ items/u);
    expect(readFileSync(out, "utf8")).toBe(intoPipe.stdout);
    const withItems = linesOf(intoPipe.stdout).filter((line) => JSON.parse(line).items?.length > 0);
    expect(withItems.length).toBeGreaterThan(5);
    const nowhere = join(prompt.home, "no", "such", "folder.ndjson");
    expect(await prompt.error(["stash", "export", "Standard", "--out", nowhere])).toMatchObject({
      code: "unwritable-file",
    });
  });

  it("creates, updates, checks and shows filters", async () => {
    const good = join(prompt.home, "good.filter");
    const bad = join(prompt.home, "bad.filter");
    writeFileSync(good, 'Show\n  Class "Maps"\n');
    writeFileSync(bad, "Nonsense\n");
    const push = (file: string, ...more: ReadonlyArray<string>) => [
      ...["filters", "push", file, "--name", "Mine", "--validate"],
      ...more,
    ];
    const created = await prompt.json(push(good));
    expect(created).toMatchObject({ status: "created", filter: { validation: { valid: true } } });
    const { id } = created.filter;
    const updated = await prompt.json(push(good, "--description", "again"));
    expect(updated).toMatchObject({ status: "updated", filter: { id, description: "again" } });
    expect(await prompt.error(push(bad))).toMatchObject({ code: "request-invalid" });
    expect(await prompt.json(["filters", "validate", id])).toMatchObject({ filter: { id } });
    const text = await prompt.run(["filters", "get", id, "--text"]);
    expect(text.stdout).toBe(readFileSync(good, "utf8"));
    const list = await prompt.json("filters list");
    expect(list.filter((each: { id: string }) => each.id === id)).toHaveLength(1);
    expect(await prompt.error(["filters", "push", good])).toMatchObject({ exit: 64 });
    expect(await prompt.error("filters get none")).toMatchObject({ exit: 66 });
  });
});

describe("the service", () => {
  it("shows leagues, those of the account, and one", async () => {
    const leagues = await prompt.json("leagues");
    expect(leagues[0]).toMatchObject({ id: "Standard" });
    const mine = await prompt.json("leagues --mine");
    expect(mine.length).toBeGreaterThan(leagues.length);
    expect(await prompt.json("leagues Standard")).toEqual(leagues[0]);
    expect(await prompt.error("leagues Nowhere")).toMatchObject({ exit: 66 });
    expect(await prompt.error("leagues --type season")).toMatchObject({ exit: 65 });
  });

  it("exports a whole ladder as CSV, with progress on stderr", async () => {
    const out = join(prompt.home, "ranks.csv");
    const { code, stderr, stdout } = await prompt.run(["ladder", "Standard", "--all", "-o", out]);
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toContain("15000 ranks");
    const [title, first, ...others] = readFileSync(out, "utf8").trimEnd().split("\r\n");
    expect(title).toBe("rank,character,class,level,experience,depth,account");
    expect(first).toMatch(/^1,/u);
    expect(others).toHaveLength(14_999);
  });

  it("shows part of a ladder, of a class, of an event", async () => {
    const part = ["ladder", "Standard", "--limit", "3", "--offset", "5"];
    const ranks = await prompt.json(part);
    expect(ranks.map((each: { rank: number }) => each.rank)).toEqual([6, 7, 8]);
    const table = await prompt.run(part);
    expect(linesOf(table.stdout)).toHaveLength(4);
    const lines = await prompt.run([...part, "--ndjson"]);
    expect(linesOf(lines.stdout).map((line) => JSON.parse(line))).toEqual(ranks);
    const witches = await prompt.json("ladder Standard --class witch --limit 5");
    expect(witches).toHaveLength(5);
    expect(await prompt.error("ladder Nowhere")).toMatchObject({ exit: 66 });
    expect(await prompt.error("ladder Nowhere --all")).toMatchObject({ exit: 66 });
  });

  it("shows PvP matches and their ladders", async () => {
    const [{ id }] = await prompt.json("pvp list");
    expect(await prompt.json(["pvp", "get", id])).toMatchObject({ id });
    const ladder = await prompt.run(["pvp", "ladder", id, "--limit", "3"]);
    expect(ladder.code).toBe(0);
    const both = ["pvp", "list", "--season", "One", "--league", "Standard"];
    expect(await prompt.error(both)).toMatchObject({ exit: 64 });
    expect(await prompt.error(["pvp", "get", "No Cup"])).toMatchObject({
      exit: 66,
      next: "list them with: gamedata pvp list",
    });
  });

  it("shows an hour of the exchange", async () => {
    const first = await prompt.json("exchange show --first");
    expect(first.markets.length).toBeGreaterThan(0);
    const [{ league }] = first.markets;
    const one = await prompt.run(["exchange", "show", "--first", "--league", league]);
    expect(one.stdout).toContain(league);
    const hour = String(first.next_change_id);
    const next = await prompt.json(["exchange", "show", "--hour", hour]);
    expect(next.next_change_id).toBe(first.next_change_id + 3600);
    expect(await prompt.error("exchange show --hour noon")).toMatchObject({ exit: 64 });
    const both = ["exchange", "show", "--first", "--hour", hour];
    expect(await prompt.error(both)).toMatchObject({ exit: 64 });
  });

  it("tells the windows of the rate limits, and forecasts", async () => {
    const limits = await prompt.json("limits --count 5");
    expect(limits.map((each: { route: string }) => each.route)).toContain("GET /league");
    for (const { limits: known, windows } of limits) {
      expect(known).toBe("learned");
      expect(windows[0]).toMatchObject({ used: expect.any(Number), max: expect.any(Number) });
    }
    const shown = await prompt.run("limits");
    expect(shown.stdout).toContain("league-request-limit");
    for (const flag of ["--count", "--every", "--readings"])
      expect(await prompt.error(["limits", flag, "0"])).toMatchObject({ exit: 64 });
  });

  it("watches the windows: a list for each reading in a pipe, one place on a terminal", async () => {
    const watch = ["limits", "--watch", "--every", "1", "--readings", "2"];
    const lines = linesOf((await prompt.run([...watch, "--ndjson"])).stdout).map((line) =>
      JSON.parse(line),
    );
    const profile = lines.filter(({ route }) => route === "GET /profile");
    expect(profile).toHaveLength(2);
    expect(profile[1].windows[0].used).toBeGreaterThan(profile[0].windows[0].used);
    const drawn = await prompt.run(watch, { columns: 160 });
    // The first view, up to its first line, everything below it cleared, the second view.
    const [first, second, ...more] = drawn.stdout.split("\u001B[0J");
    const height = first!.slice(0, first!.lastIndexOf("\n")).split("\n").length;
    expect(first!.endsWith(`\n\u001B[${height}A`)).toBe(true);
    expect(second).toContain("GET /profile");
    expect(more).toEqual([]);
  });
});

it("prints no secret, however much it is asked to say", async () => {
  const tokens = join(prompt.home, "talkative");
  const { GAME_DATA_CLIENT_SECRET: clientSecret } = service.envOf("example-web");
  const env = { GAME_DATA_TOKENS: tokens };
  let said = "";
  for (const args of [["whoami"], ["leagues"], ["token", "introspect"], ["doctor"], ["limits"]]) {
    for (const form of [[], ["--json"]]) {
      const all = await prompt.run([...args, ...form, "--log-level", "all"], { env });
      expect(all.code).toBe(0);
      said += all.stdout + all.stderr;
    }
  }
  const { tokens: kept } = storedTokens(tokens);
  expect(kept.length).toBeGreaterThan(3);
  for (const secret of [...kept, clientSecret!]) expect(said).not.toContain(secret);
  // Signing out revokes and forgets the tokens of each set of scopes.
  expect(await prompt.json("logout", { env })).toMatchObject({ revoked: true });
  expect(storedTokens(tokens).tokens).toEqual([]);
});
