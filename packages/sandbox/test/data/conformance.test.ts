/**
 * The bodies of all reading endpoints, with `nulls` in each way: optional members without a value
 * are left out, or null (§1).
 */
import { bodies } from "@game-data/contract/results";
import { type Route, routes } from "@game-data/contract/routes";
import { Item } from "@game-data/schemas";
import { describe, expect, it } from "vitest";
import { departures, openData, segment, textsOf } from "./harness.ts";

const world = { streamPageSize: 20 };
const absent = await openData({ world });
const filled = await openData({ world, nulls: "null" });
const mixed = await openData({ world, nulls: "mixed" });
/** `world/coverage.long.test.ts` walks through all of it. */
const SIZE = { realms: ["pc", "game2"], pages: 2, most: 3 } as const;
const plain = await textsOf(absent, SIZE);

const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => (one === null ? [] : [[key, withoutNulls(one)]])),
  );
};

const nullsIn = (value: unknown): number => {
  if (value === null) return 1;
  if (typeof value !== "object") return 0;
  return Object.values(value as object).reduce((sum: number, one) => sum + nullsIn(one), 0);
};

type Texts = typeof plain;
const nullsOf = (texts: Texts): number =>
  [...texts.values()].reduce((sum, [, text]) => sum + nullsIn(JSON.parse(text)), 0);

it.each([
  ["absent", absent],
  ["null", filled],
  ["mixed", mixed],
])(
  "every answer follows the specification to the letter, and says the same: %s [DA-05] [DA-07]",
  async (_, sandbox) => {
    const texts = sandbox === absent ? plain : await textsOf(sandbox, SIZE);
    expect([...texts.keys()]).toEqual([...plain.keys()]);
    for (const [path, [name, text]] of texts) {
      const body = JSON.parse(text) as unknown;
      expect.soft(departures(name, body), path).toEqual([]);
      expect.soft(withoutNulls(body), path).toEqual(withoutNulls(JSON.parse(plain.get(path)![1])));
      const record = bodies[(routes[name] as Route).results[200] as "Profile"];
      expect.soft(record.safeDecode(body), path).toMatchObject({ ok: true });
    }
  },
);

it("a created filter follows it as well", async () => {
  const draft = { filter_name: "Test", realm: "game2", filter: "Show\n" };
  const { body } = await absent.post("/item-filter?validate=true", draft);
  expect(departures("itemFilters.create", body)).toEqual([]);
});

describe("nulls", () => {
  it("null sends every optional member of a record", async () => {
    const { body } = await filled.get("/stash/Standard");
    const { stash } = (await filled.get(`/stash/Standard/${body.stashes[0].id}`)).body;
    const names = Object.keys(Item.shape).flatMap((name) =>
      name.endsWith("?") ? [name.slice(0, -1)] : [],
    );
    expect(names.length).toBeGreaterThan(80);
    expect(stash.items.length).toBeGreaterThan(5);
    for (const item of stash.items)
      expect(names.filter((name) => !Object.hasOwn(item, name))).toEqual([]);
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
    const forwards = await textsOf(mixed, SIZE);
    const other = await openData({ world, nulls: "mixed" });
    for (const [path, [, text]] of [...forwards].toReversed())
      expect.soft((await other.get(path)).text, path).toBe(text);
    const ofPlain = nullsOf(plain);
    const ofFilled = nullsOf(await textsOf(filled, SIZE));
    const share = (nullsOf(forwards) - ofPlain) / (ofFilled - ofPlain);
    expect(share).toBeGreaterThan(0.08);
    expect(share).toBeLessThan(0.17);
  });

  it("leaves null results, errors and filter updates as they are", async () => {
    expect((await filled.get("/league/Nowhere")).body).toEqual({ league: null });
    const refused = await filled.get("/nowhere");
    expect(Object.keys(refused.body.error)).toEqual(["code", "message"]);
    const draft = { filter_name: "Test", realm: "pc", filter: "Show\n" };
    const { id } = (await filled.post("/item-filter", draft)).body.filter;
    const updated = await filled.post(`/item-filter/${id}`, { description: "again" });
    expect(updated.body).toMatchObject({ error: null, filter: { description: "again" } });
  });

  it("speaks the deployment's words", async () => {
    const spoken = await openData({ nulls: "null", words: { livestream: "stream_link" } });
    const { body } = await spoken.get("/profile");
    expect(body).toHaveProperty("stream_link");
    expect(body).not.toHaveProperty("livestream");
  });
});
