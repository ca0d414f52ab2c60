/** `nulls`: optional members without a value are null where they are otherwise left out (§1). */
import { bodySchemas } from "@game-data/contract/effect";
import { bodies } from "@game-data/contract/results";
import { type Route, type RouteName, routes } from "@game-data/contract/routes";
import * as Conformance from "@game-data/schemas/Conformance";
import { Item } from "@game-data/schemas";
import { salvage } from "@game-data/schemas/salvage";
import { startSandbox } from "@game-data/sandbox";
import { describe, expect, it } from "vitest";
import { tour } from "../../scripts/worldTour.ts";
import { readCommandLine } from "../../src/commandLine.ts";
import { openData, segment } from "./harness.ts";

const absent = await openData();
const filled = await openData({ nulls: "null" });
const mixed = await openData({ nulls: "mixed" });

type Sandbox = typeof absent;
type Body = Readonly<Record<string, any>>;

type Texts = ReadonlyMap<string, readonly [RouteName, string]>;

/** The bodies of all reading endpoints, by path. */
const textsOf = async (sandbox: Sandbox): Promise<Texts> => {
  const texts = new Map<string, readonly [RouteName, string]>();
  await tour(
    async (name, path) => {
      const { body, text } = await sandbox.get(path);
      texts.set(path, [name, text]);
      return body;
    },
    { realms: ["pc", "game2"], pages: 2, most: 8 },
  );
  return texts;
};

const toured = new Map<Sandbox, Promise<Texts>>();
/** The tour of one of the sandboxes above, made once. */
const tourOf = (sandbox: Sandbox): Promise<Texts> => {
  const known = toured.get(sandbox) ?? textsOf(sandbox);
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

const total = (texts: Texts): number =>
  [...texts.values()].reduce((sum, [, text]) => sum + countNulls(JSON.parse(text)), 0);

/** §2 lists no word for the realm of game 2 (NS-17, NS-18). */
const departures = (name: RouteName, body: unknown) => {
  const { results }: Route = routes[name];
  return Conformance.report(bodySchemas[results[200]!], body).filter(
    ({ kind, member }) => kind !== "unknown-word" || !member.endsWith(".realm"),
  );
};

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
    for (const [path, [, text]] of [...forwards].toReversed())
      expect.soft((await other.get(path)).text, path).toBe(text);
    const ofPlain = total(await tourOf(absent));
    const share = (total(forwards) - ofPlain) / (total(await tourOf(filled)) - ofPlain);
    expect(share).toBeGreaterThan(0.08);
    expect(share).toBeLessThan(0.17);
  });

  it("is taken by the records and by the reader of damaged pages", async () => {
    for (const [path, [name, text]] of await tourOf(filled)) {
      const { results }: Route = routes[name];
      const record = bodies[results[200] as "Profile"];
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
