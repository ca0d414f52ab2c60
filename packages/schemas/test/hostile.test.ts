import { Cause, Exit, Schema } from "effect";
import { describe, expect, it } from "vitest";
import * as Conformance from "../src/Conformance.ts";
import * as Drift from "../src/Drift.ts";
import * as Schemas from "../src/effect/index.ts";
import { Character, Guild, Item, League, Market, PublicStashPage, StashTab } from "../src/index.ts";
import { MAX_DEPTH } from "../src/plain/depth.ts";
import { placesOfEffect, placesOfPlain } from "./places.ts";
import { character, item, listed, market, unlisted } from "./support.ts";

/** `CHANGES=200000 vitest run test/hostile.test.ts` reads that many bad changes, as CI does. */
const CHANGES = Number(process.env["CHANGES"] ?? 20_000);

const tab = { id: "0", name: "", type: "", metadata: {} };

/** An item in an item in an item …, or a tab. */
const nest = (depth: number, of: object = item, member = "socketedItems", inmost = of): object => {
  let value = inmost;
  for (let level = 0; level < depth; level++) value = { ...of, [member]: [value] };
  return value;
};
const nestTabs = (depth: number, inmost: object = tab) => nest(depth, tab, "children", inmost);

/** Every way of reading ends with these kinds of places, and without an exception. */
const expectRefused = (
  plain: typeof Item | typeof Character | typeof StashTab | typeof League,
  value: unknown,
): void => {
  const schema = (Schemas as unknown as Record<string, Schema.Codec<unknown>>)[plain.name]!;
  expect(plain.is(value)).toBe(false);
  const result = plain.safeDecode(value);
  expect(result.ok).toBe(false);
  if (!result.ok) {
    expect(result.error.issues.length).toBeGreaterThan(0);
    expect(result.error.issues.length).toBeLessThanOrEqual(10);
    expect(JSON.stringify(result.error).length).toBeLessThan(20_000);
  }
  expect(plain["~standard"].validate(value).issues?.length).toBeGreaterThan(0);
  const exit = Schema.decodeUnknownExit(schema)(value);
  expect(Exit.isFailure(exit) && Cause.pretty(exit.cause)).toMatch(/Expected|Missing key/u);
  expect(Drift.typeErrors(schema, value).length).toBeGreaterThan(0);
};

describe("Hostile values", () => {
  it("of depth 100 000 are refused with a typed error", () => {
    const deep = nest(100_000);
    expectRefused(Item, deep);
    expectRefused(Character, { ...character, equipment: [deep] });
    expectRefused(StashTab, { ...tab, items: [deep] });
    expectRefused(StashTab, nestTabs(100_000));
    const pointer = "/socketedItems/0".repeat(MAX_DEPTH + 1);
    expect(Drift.typeErrors(Schemas.Item, deep).map((one) => one.pointer)).toEqual([pointer]);
    for (const schema of [Schema.toType(Schemas.Item), Schema.NullOr(Schemas.Item)]) {
      const exit = Schema.decodeUnknownExit(schema)(deep);
      expect(Exit.isFailure(exit) && Cause.pretty(exit.cause)).toContain("levels of nesting");
    }
  });

  it("are bounded at the same level by all readers", () => {
    for (const [schema, nested] of [
      [Schemas.Item, nest],
      [Schemas.StashTab, nestTabs],
    ] as const) {
      expect(Schema.is(schema)(nested(MAX_DEPTH))).toBe(true);
      expect(Drift.typeErrors(schema, nested(MAX_DEPTH))).toEqual([]);
      expect(Schema.is(schema)(nested(MAX_DEPTH + 1))).toBe(false);
      expect(Drift.typeErrors(schema, nested(MAX_DEPTH + 1))).toHaveLength(1);
    }
    // A record within another one has levels of its own.
    const wrong = nest(20, item, "socketedItems", { ...item, w: "2" });
    const errors = Drift.typeErrors(Schemas.StashTab, nestTabs(20, { ...tab, items: [wrong] }));
    expect(errors.map(({ pointer }) => pointer)).toEqual([expect.stringMatching(/\/w$/u)]);
  });

  it("may be deep in members that no record names", () => {
    const value: unknown = JSON.parse(`{"id":"x","later":${"[".repeat(5000)}${"]".repeat(5000)}}`);
    expect(Schema.decodeUnknownSync(Schemas.League)(value)).toBe(value);
  });

  it("with cycles are refused at once, however they branch", () => {
    const cyclic: Record<string, unknown> = { ...item };
    cyclic["socketedItems"] = [cyclic, cyclic, cyclic];
    expectRefused(Item, cyclic);
  });

  it("may have cycles in members that no record names", () => {
    const league: Record<string, unknown> = { id: "Standard" };
    league["self"] = league;
    expect(League.decode(league)).toBe(league);
    expect(Drift.report(Schemas.League, league)).toHaveLength(1);
  });

  it("with getters or proxies that throw are refused with a typed error", () => {
    const getter = {
      ...item,
      get w(): number {
        throw new Error("secret-4711");
      },
    };
    const proxy = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("secret-4711");
        },
      },
    );
    const guild = Object.defineProperty({ id: -1, name: "a" }, "tag", { get: () => getter.w });
    for (const issues of [1, 2]) {
      const result = Guild.safeDecode(guild, { issues });
      expect(!result.ok && result.error).toMatchObject({
        issues: { length: issues },
        hasMore: true,
      });
    }
    for (const places of [placesOfEffect(Schemas.Guild, guild), placesOfPlain(Guild, guild)])
      expect(places).toEqual(["/id", "/tag"]);
    for (const value of [getter, proxy]) {
      expectRefused(Item, value);
      const result = Item.safeDecode(value);
      expect(JSON.stringify(result)).not.toContain("4711");
      expect(JSON.stringify(Drift.report(Schemas.Item, value))).not.toContain("4711");
    }
  });

  it("with __proto__ and constructor as members change nothing else", () => {
    const value: unknown = JSON.parse(
      `{"id":"x","__proto__":{"polluted":true},"constructor":1,"toString":2}`,
    );
    expect(League.decode(value)).toBe(value);
    expect(Schema.decodeUnknownSync(Schemas.League)(value)).toBe(value);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    const kinds = Drift.report(Schemas.League, value).map(
      ({ kind, pointer }) => `${kind} ${pointer}`,
    );
    expect(kinds).toEqual([
      "unknown-key /__proto__",
      "unknown-key /constructor",
      "unknown-key /toString",
    ]);
    const dictionary: unknown = JSON.parse(`{"__proto__":-1,"a/b~c":-1}`);
    const refused = Market.safeDecode({ ...market, volume_traded: dictionary });
    expect(!refused.ok && refused.error.issues.map(({ pointer }) => pointer)).toEqual([
      "/volume_traded/__proto__",
      "/volume_traded/a~1b~0c",
    ]);
  });

  it("with numbers beyond JSON's are refused: 1e400, 1e21 and -1", () => {
    for (const text of ["1e400", "1e21", "-1", "1.5", "-0.1"]) {
      const value: unknown = JSON.parse(`{"id":${text},"name":"n","tag":"t"}`);
      const exit = Schema.decodeUnknownExit(Schemas.Guild)(value);
      expect(Exit.isFailure(exit)).toBe(true);
      expect(Drift.typeErrors(Schemas.Guild, value)).toHaveLength(1);
    }
  });
});

describe("Bad changes by the hundred thousand", () => {
  const page = {
    next_change_id: "1",
    stashes: Array.from({ length: CHANGES }, () => ({ id: 7, public: true, later: 1 })),
  };

  it("give a bounded report that says whether there is more", { timeout: 60_000 }, () => {
    const { deviations, hasMore } = Drift.inspect(Schemas.PublicStashPage, page, { limit: 100 });
    expect(deviations).toHaveLength(100);
    expect(hasMore).toBe(true);
    expect(Drift.report(Schemas.PublicStashPage, page)).toHaveLength(1000);
    expect(Drift.typeErrors(Schemas.PublicStashPage, page)).toHaveLength(1000);
    expect(Conformance.report(Schemas.PublicStashPage, page)).toHaveLength(1000);
    expect(Conformance.report(Schemas.PublicStashPage, page, { limit: 7 })).toHaveLength(7);
    const accepted = { ...page, stashes: page.stashes.map(() => ({ ...unlisted, later: 1 })) };
    expect(Conformance.report(Schemas.PublicStashPage, accepted)).toHaveLength(1000);
    const whole = Drift.inspect(
      Schemas.Guild,
      { id: -1, name: 1, tag: "", later: 1 },
      { limit: 3 },
    );
    expect(whole.deviations.map(({ pointer }) => pointer)).toEqual(["/id", "/name", "/later"]);
    expect(whole.hasMore).toBe(false);
  });

  it("give a bounded error", { timeout: 60_000 }, () => {
    const result = PublicStashPage.safeDecode(page, { issues: 3 });
    expect(!result.ok && [result.error.issues.length, result.error.hasMore]).toEqual([3, true]);
    const few = PublicStashPage.safeDecode({ ...page, stashes: [page.stashes[0]] }, { issues: 3 });
    expect(!few.ok && [few.error.issues.length, few.error.hasMore]).toEqual([3, false]);
  });
});

describe("Drift", () => {
  it("reads a deployment's words as the specification's", () => {
    const account = { name: "Ember", realm: "box", tv: { name: "s", stream: null } };
    const kinds = (words?: Drift.DeploymentWords) =>
      Drift.report(Schemas.Account, account, { words }).map(
        ({ kind, pointer }) => `${kind} ${pointer}`,
      );
    expect(kinds()).toEqual(["unknown-word /realm", "unknown-key /tv"]);
    expect(kinds({ console_a: "box", livestream: "tv" })).toEqual([]);
    // The word of game 2 is none of the documented ones here, and the member is checked as
    // livestream.
    expect(kinds({ game2: "box" })).toEqual(["unknown-word /realm", "unknown-key /tv"]);
    const wrong = { ...account, tv: { name: 1 } };
    expect(
      Drift.report(Schemas.Account, wrong, { words: { console_a: "box", livestream: "tv" } }),
    ).toMatchObject([{ kind: "other-type", pointer: "/tv/name" }]);
  });

  it("reports what an unlisted change carries beyond streaming rule 3, if asked", () => {
    const kinds = (value: object) =>
      Drift.report(Schemas.PublicStashChange, value, { explicit: true })
        .filter(({ kind }) => kind === "not-omitted")
        .map(({ pointer }) => pointer);
    expect(kinds(unlisted)).toEqual(["/stashType", "/items"]);
    expect(kinds(listed)).toEqual([]);
    expect(kinds({ id: unlisted.id, public: false })).toEqual([]);
    expect(Drift.report(Schemas.PublicStashChange, unlisted)).toEqual([]);
  });
});
