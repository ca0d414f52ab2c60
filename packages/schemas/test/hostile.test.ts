import { Cause, Exit, Schema } from "effect";
import { expect, it } from "vitest";
import * as Conformance from "../src/Conformance.ts";
import * as Drift from "../src/Drift.ts";
import * as Schemas from "../src/effect/index.ts";
import { Character, Guild, Item, League, Market, StashTab } from "../src/index.ts";
import { placesOfEffect, placesOfPlain } from "./places.ts";
import { character, item, market, unlisted } from "./support.ts";

/** Records nest no deeper in themselves. */
const MAX_DEPTH = 32;

const format = ({ kind, pointer }: Drift.Deviation) => `${kind} ${pointer}`;

const tab = { id: "0123456789", name: "", type: "", metadata: {} };

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
  const schema = (Schemas as unknown as Record<string, Schemas.Wire<unknown>>)[plain.name]!;
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

it("records, Effect Schemas and Drift refuse a value of depth 100,000 with a typed error", () => {
  const deep = nest(100_000);
  expectRefused(Item, deep);
  expectRefused(Character, { ...character, equipment: [deep] });
  expectRefused(StashTab, { ...tab, items: [deep] });
  expectRefused(StashTab, nestTabs(100_000));
  const pointer = "/socketedItems/0".repeat(MAX_DEPTH + 1);
  const places = ["unknown-key /later", `too-deep ${pointer}`].toReversed();
  expect(Drift.report(Schemas.Item, { later: 1, ...deep }).map(format)).toEqual(places);
  for (const schema of [Schema.toType(Schemas.Item), Schema.NullOr(Schemas.Item)]) {
    const exit = Schema.decodeUnknownExit(schema)(deep);
    expect(Exit.isFailure(exit) && Cause.pretty(exit.cause)).toContain("levels of nesting");
  }
});

it("Effect Schemas and Drift accept 32 levels of nested records, and refuse 33 levels", () => {
  for (const [schema, nested] of [
    [Schemas.Item, nest],
    [Schemas.StashTab, nestTabs],
  ] as const) {
    expect(Schema.is(schema)(nested(MAX_DEPTH))).toBe(true);
    expect(Drift.inspect(schema, nested(MAX_DEPTH)).hasMore).toBe(false);
    expect(Schema.is(schema)(nested(MAX_DEPTH + 1))).toBe(false);
    expect(Drift.typeErrors(schema, nested(MAX_DEPTH + 1))).toHaveLength(1);
  }
  // A record within another one has levels of its own.
  const wrong = nest(20, item, "socketedItems", { ...item, w: "2", later: 1 });
  const found = Drift.report(Schemas.StashTab, nestTabs(20, { ...tab, items: [wrong] }));
  expect(found.map(({ pointer }) => pointer.slice(-6))).toEqual([
    expect.stringMatching(/\/w$/u),
    "/later",
  ]);
});

it("records and Effect Schemas refuse a cyclic value, unless no record names the cyclic member", () => {
  const cyclic: Record<string, unknown> = { ...item };
  cyclic["socketedItems"] = [cyclic, cyclic, cyclic];
  expectRefused(Item, cyclic);
  const league: Record<string, unknown> = { id: "Standard" };
  league["self"] = league;
  expect(League.decode(league)).toBe(league);
  expect(Drift.report(Schemas.League, league)).toHaveLength(1);
});

it("records and Effect Schemas refuse a value whose getter or proxy throws, with a typed error", () => {
  const fail = () => {
    throw new Error("secret-4711");
  };
  const broken = (of: object, name: string) =>
    Object.defineProperty({ ...of }, name, { get: fail });
  const guild = broken({ id: -1, name: "a" }, "tag");
  for (const issues of [1, 2]) {
    const result = Guild.safeDecode(guild, { issues });
    const error = { issues: { length: issues }, hasMore: true };
    expect(!result.ok && result.error).toMatchObject(error);
  }
  for (const places of [placesOfEffect(Schemas.Guild, guild), placesOfPlain(Guild, guild)])
    expect(places).toEqual(["/id", "/tag"]);
  for (const value of [broken(item, "w"), new Proxy({}, { ownKeys: fail })]) {
    expectRefused(Item, value);
    const unchecked = Schema.decodeUnknownExit(Schemas.Item, { disableChecks: true })(value);
    const answers = [Item.safeDecode(value), Drift.report(Schemas.Item, value), unchecked];
    expect(JSON.stringify(answers)).not.toContain("4711");
  }
});

it("decoding a value with the members __proto__ and constructor does not change Object.prototype", () => {
  const value: unknown = JSON.parse(
    `{"id":"x","__proto__":{"polluted":true},"constructor":1,"toString":2}`,
  );
  expect(League.decode(value)).toBe(value);
  expect(Schema.decodeUnknownSync(Schemas.League)(value)).toBe(value);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  const found = Drift.report(Schemas.League, value).map(format);
  const names = ["__proto__", "constructor", "toString"];
  expect(found).toEqual(names.map((name) => `unknown-key /${name}`));
  const dictionary: unknown = JSON.parse(`{"__proto__":-1,"a/b~c":-1}`);
  const places = placesOfPlain(Market, { ...market, volume_traded: dictionary });
  expect(places).toEqual(["/volume_traded/__proto__", "/volume_traded/a~1b~0c"]);
});

const page = {
  next_change_id: "1",
  stashes: Array.from({ length: 20_000 }, () => ({ id: 7, public: true, later: 1 })),
};

it(
  "Drift.inspect lists deviations only up to its limit, and states whether there are more",
  { timeout: 60_000 },
  () => {
    const { deviations, hasMore } = Drift.inspect(Schemas.PublicStashPage, page, { limit: 100 });
    expect(deviations).toHaveLength(100);
    expect(hasMore).toBe(true);
    expect(Drift.report(Schemas.PublicStashPage, page)).toHaveLength(1000);
    expect(Drift.typeErrors(Schemas.PublicStashPage, page)).toHaveLength(1000);
    expect(Conformance.report(Schemas.PublicStashPage, page)).toHaveLength(1000);
    expect(Conformance.report(Schemas.PublicStashPage, page, { limit: 7 })).toHaveLength(7);
    const accepted = { ...page, stashes: page.stashes.map(() => ({ ...unlisted, later: 1 })) };
    expect(Conformance.report(Schemas.PublicStashPage, accepted)).toHaveLength(1000);
    const guild = { id: -1, name: 1, tag: "", later: 1 };
    const whole = Drift.inspect(Schemas.Guild, guild, { limit: 3 });
    expect(whole.deviations.map(({ pointer }) => pointer)).toEqual(["/id", "/name", "/later"]);
    expect(whole.hasMore).toBe(false);
    expect(Drift.inspect(Schemas.Guild, guild, { limit: 2 }).hasMore).toBe(true);
  },
);
