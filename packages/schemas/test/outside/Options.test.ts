/**
 * Every option with values that it cannot have, and records whose getters and proxies break, by
 * exported names alone: each call ends, well or with an error of the package.
 */
import { Guild, Item, RecordError } from "@game-data/schemas";
import * as Conformance from "@game-data/schemas/Conformance";
import * as Drift from "@game-data/schemas/Drift";
import * as Effect from "@game-data/schemas/effect";
import { salvage, salvageEach } from "@game-data/schemas/salvage";
import { breaks, brokenFunctions, membersOf, WAYS, wrongValues } from "@game-data/test-support";
import { expect, it } from "vitest";

const HOW = { within: 5_000, tags: new Set([RecordError.name, "RecordError"]) };
const source = (file: string) => new URL(`../../src/${file}`, import.meta.url);
const bad = { id: 5, name: "a" };
const page = { next_change_id: "1", stashes: [{ id: "a", public: true, items: [{}, 1] }] };
const every = (found: Iterable<{ readonly rejects: Iterable<{ readonly issues: unknown }> }>) => {
  for (const { rejects } of found) for (const reject of rejects) void reject.issues;
};

it("takes each option with any value, or refuses it", async () => {
  const calls: ReadonlyArray<[file: string, options: string, (options: never) => unknown]> = [
    ["PlainRecord.ts", "DecodeOptions", (one) => Guild.safeDecode(bad, one)],
    ["Drift.ts", "Options", (one) => Drift.report(Effect.Guild, bad, one)],
    ["Conformance.ts", "Options", (one) => Conformance.report(Effect.Guild, bad, one)],
    ["salvage.ts", "SalvageOptions", (one) => every(salvageEach(Item, [{}, 1], one))],
    ["salvage.ts", "PageOptions", (one) => every(salvage(page, one))],
  ];
  for (const [file, name, call] of calls) {
    const wrong = wrongValues({}, membersOf(source(file), name));
    expect(await breaks(wrong, (options: object) => call(options as never), HOW)).toEqual([]);
  }
});

it("decodes values whose members break, or refuses them", async () => {
  // A promise is a value like others here, so a rejection would not be noticed.
  const silent = Object.entries(WAYS).filter(([name]) => !name.startsWith("rejects"));
  const getters = silent.map(([name, get]) => ({
    name,
    member: "id",
    value: Object.defineProperty({ name: "a", tag: "b" }, "id", { get, enumerable: true }),
  }));
  const names = ["get", "has", "ownKeys", "getOwnPropertyDescriptor", "getPrototypeOf"];
  const traps = brokenFunctions({}, names);
  const proxies = traps
    .filter(({ name }) => !name.includes(" rejects"))
    .map(({ value, ...one }) => ({ ...one, value: new Proxy(bad, value) }));
  const use = (value: object) => {
    Guild.safeDecode(value);
    Drift.report(Effect.Guild, value);
    Conformance.report(Effect.Guild, value);
    every(salvageEach(Guild, [value]));
    every(salvage({ next_change_id: "1", stashes: [value] }, { grain: "item" }));
    if (Guild.is(value)) Guild.decode(value);
  };
  expect(await breaks([...getters, ...proxies], use, HOW)).toStrictEqual([]);
});
