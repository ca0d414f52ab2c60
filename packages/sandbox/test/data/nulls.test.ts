/** `nulls`: optional members without a value are null where they are otherwise left out (§1). */
import * as responses from "@game-data/contract/effect";
import { bodies } from "@game-data/contract/results";
import { type RouteName, routes } from "@game-data/contract/routes";
import * as Conformance from "@game-data/schemas/Conformance";
import { Item } from "@game-data/schemas";
import { salvage } from "@game-data/schemas/salvage";
import { recordKinds } from "@game-data/schemas/Check";
import { startSandbox } from "@game-data/sandbox";
import type { Schema } from "effect";
import { describe, expect, it } from "vitest";
import { readCommandLine } from "../../src/commandLine.ts";
import { openData, segment } from "./harness.ts";

const absent = await openData();
const filled = await openData({ nulls: "null" });
const mixed = await openData({ nulls: "mixed" });

type Sandbox = typeof absent;
type Body = Readonly<Record<string, any>>;

/** The bodies of all reading endpoints, by path. */
const tour = async (sandbox: Sandbox, isBackwards = false) => {
  const at = async (path: string) => (await sandbox.get(path)).body as Body;
  const { characters } = await at("/character");
  const { characters: game2 } = await at("/character/game2");
  const { stashes } = await at("/stash/Standard");
  const { filters } = await at("/item-filter");
  const { matches } = await at("/pvp-match?type=season&season=Season%202");
  const page = await at("/public-stash-tabs");
  const hour = await at("/currency-exchange");
  const paths: ReadonlyArray<readonly [RouteName, string]> = [
    ["profile.get", "/profile"],
    ["itemFilters.list", "/item-filter"],
    ["itemFilters.get", `/item-filter/${filters[0].id}`],
    ["leagues.list", "/league"],
    ["leagues.get", "/league/Standard"],
    ["leagues.ladder", "/league/Standard/ladder?limit=50"],
    ["leagues.eventLadder", "/league/Standard/event-ladder"],
    ["pvpMatches.list", "/pvp-match?type=season&season=Season%202"],
    ["pvpMatches.get", `/pvp-match/${segment(matches[0].id)}`],
    ["pvpMatches.ladder", `/pvp-match/${segment(matches[0].id)}/ladder`],
    ["accountLeagues.list", "/account/leagues"],
    ["characters.list", "/character"],
    ...characters.map(({ name }: Body) => ["characters.get", `/character/${segment(name)}`]),
    ...game2.map(({ name }: Body) => ["characters.get", `/character/game2/${segment(name)}`]),
    ["stashes.list", "/stash/Standard"],
    ...stashes.map(({ id }: Body) => ["stashes.get", `/stash/Standard/${id}`]),
    ["leagueAccounts.get", "/league-account/Standard"],
    ["guildStashes.list", "/guild/stash/Standard"],
    ["publicStashTabs.page", `/public-stash-tabs?id=${page["next_change_id"]}`],
    ["currencyExchange.page", `/currency-exchange/${hour["next_change_id"]}`],
  ];
  const texts = new Map<string, readonly [RouteName, string]>();
  for (const [name, path] of isBackwards ? paths.toReversed() : paths)
    texts.set(path, [name, (await sandbox.get(path)).text]);
  return new Map([...texts].toSorted(([x], [y]) => (x < y ? -1 : 1)));
};

const toured = new Map<Sandbox, ReturnType<typeof tour>>();
/** The tour of one of the sandboxes above, made once. */
const tourOf = (sandbox: Sandbox): ReturnType<typeof tour> => {
  const known = toured.get(sandbox) ?? tour(sandbox);
  toured.set(sandbox, known);
  return known;
};

const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => (one === null ? [] : [[key, withoutNulls(one)]])),
  );
};

const countNulls = (value: unknown): number => {
  if (value === null) return 1;
  if (typeof value !== "object") return 0;
  return Object.values(value as object).reduce((sum: number, one) => sum + countNulls(one), 0);
};

const total = (texts: Awaited<ReturnType<typeof tour>>): number =>
  [...texts.values()].reduce((sum, [, text]) => sum + countNulls(JSON.parse(text)), 0);

/** §2 lists no word for the realm of game 2 in a character (NS-17). */
const departures = (name: RouteName, body: unknown) =>
  Conformance.report(schemaOf(name), body).filter(({ kind, member }) => {
    return kind !== "unknown-word" || member !== "Character.realm";
  });

const schemaOf = (name: RouteName): Schema.Constraint => {
  const body = (routes[name].results as Readonly<Record<string, string>>)["200"]!;
  return recordKinds.get(body) ?? schemas.get(body)!;
};

const schemas = new Map(Object.entries(responses)) as ReadonlyMap<string, unknown> as ReadonlyMap<
  string,
  Schema.Constraint
>;

describe("nulls", () => {
  it.each([
    ["null", filled],
    ["mixed", mixed],
  ])("%s follows the specification to the letter, and says the same", async (_, sandbox) => {
    const plain = await tourOf(absent);
    const nulls = await tourOf(sandbox);
    expect([...nulls.keys()]).toEqual([...plain.keys()]);
    for (const [path, [name, text]] of nulls) {
      const body = JSON.parse(text) as unknown;
      expect.soft(departures(name, body), path).toEqual([]);
      expect.soft(withoutNulls(body), path).toEqual(withoutNulls(JSON.parse(plain.get(path)![1])));
    }
    expect(total(nulls)).toBeGreaterThan(total(plain) * 2);
  });

  it("null sends every optional member of a record", async () => {
    const { body } = await filled.get("/stash/Standard");
    const tabs = await Promise.all(
      body.stashes.map(({ id }: Body) => filled.get(`/stash/Standard/${id}`)),
    );
    const items = tabs.flatMap(({ body: { stash } }) => stash.items ?? []);
    const optional = Object.keys(Item.shape).filter((name) => name.endsWith("?"));
    expect(optional.length).toBeGreaterThan(80);
    expect(items.length).toBeGreaterThan(50);
    const names = optional.map((name) => name.slice(0, -1));
    expect(
      items.filter((item: object) => !names.every((name) => Object.hasOwn(item, name))),
    ).toEqual([]);
  });

  it("keeps members of the other game away, which §2 does not let be null", async () => {
    const { body } = await filled.get("/character/game2");
    const path = `/character/game2/${segment(body.characters[0].name)}`;
    const { passives } = (await filled.get(path)).body.character;
    expect(passives).toMatchObject({ bandit_choice: null, specialisations: expect.any(Object) });
    expect(passives).not.toHaveProperty("hashes_ex");
    expect(passives).not.toHaveProperty("mastery_effects");
  });

  it("mixed sends one in eight as null, the same ones in any order and in another sandbox", async () => {
    const forwards = await tourOf(mixed);
    const other = await openData({ nulls: "mixed" });
    expect(await tour(other, true)).toEqual(forwards);
    const ofPlain = total(await tourOf(absent));
    const share = (total(forwards) - ofPlain) / (total(await tourOf(filled)) - ofPlain);
    expect(share).toBeGreaterThan(0.08);
    expect(share).toBeLessThan(0.17);
  });

  it("is taken by the records and by the reader of damaged pages", async () => {
    for (const [path, [name, text]] of await tourOf(filled)) {
      const { results } = routes[name];
      const record = bodies[(results as Readonly<Record<string, string>>)["200"] as "Profile"];
      expect.soft(record.safeDecode(JSON.parse(text)), path).toMatchObject({ ok: true });
    }
    const page = (await filled.get("/public-stash-tabs")).body;
    for (const { rejects, value } of salvage(page)) {
      expect(rejects).toHaveLength(0);
      expect(value).toBeDefined();
    }
  });

  it("leaves null results, errors and filter updates as they are", async () => {
    expect((await filled.get("/league/Nowhere")).body).toEqual({ league: null });
    const refused = await filled.get("/nowhere");
    expect(Object.keys(refused.body.error)).toEqual(["code", "message"]);
    const created = await filled.post("/item-filter", {
      filter_name: "Test",
      realm: "pc",
      filter: "Show\n",
    });
    expect(created.body.filter).toMatchObject({ filter: "Show\n" });
    const { id } = created.body.filter;
    const updated = await filled.post(`/item-filter/${id}`, { description: "again" });
    expect(updated.body).toMatchObject({ error: null, filter: { description: "again" } });
  });

  it("speaks the deployment's words", async () => {
    const words = { console_a: "box", livestream: "stream_link" };
    const spoken = await openData({ nulls: "null", words });
    const { body } = await spoken.get("/profile");
    expect(body).toHaveProperty("stream_link");
    expect(body).not.toHaveProperty("livestream");
    const neutral = (await filled.get("/profile")).body;
    expect(neutral).toHaveProperty("livestream");
  });

  it("comes from a flag, a variable and the document of --config, and is refused otherwise", async () => {
    const of = async (args: ReadonlyArray<string>, env = {}) =>
      (await readCommandLine(args, env)).options.nulls;
    expect(await of(["--nulls", "null"])).toBe("null");
    expect(await of([], { GAME_DATA_SANDBOX_NULLS: "mixed" })).toBe("mixed");
    expect(await of(["--nulls", "absent"], { GAME_DATA_SANDBOX_NULLS: "mixed" })).toBe("absent");
    await expect(startSandbox({ nulls: "some" as "null" })).rejects.toThrow(
      "/nulls: Expected one of absent, null, mixed",
    );
  });
});
