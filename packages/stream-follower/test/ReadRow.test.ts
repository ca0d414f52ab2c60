/** One row of a logged page: what it is, and what it costs where nobody wants it. */
import { expect, it } from "vitest";
import { readChange, readMarket } from "../src/core/readRow.ts";

const only = (id: string) => (other: string) => other === id;
const stash = (id: string, items: ReadonlyArray<unknown> = []) => ({
  ...{ id, isPublic: items.length > 0, items, itemCount: items.length },
});

it.each([
  ["the wanted one", '{"id":"a","public":false,"items":[1]}', stash("a")],
  ["its items", '{"id":"a","public":true,"items":[1,2]}', stash("a", [1, 2])],
  ["another, which is not even parsed", '{"id":"b",tru', undefined],
  ["another whose id stands last", '{"public":false,"id":"b"}', undefined],
  ["another whose id has an escape", String.raw`{"id":"\u0062","public":false}`, undefined],
  ["the wanted one whose id stands last", '{"public":false,"id":"a"}', stash("a")],
  ["two ids: the first one's shard", '{"id":"a","id":"b","public":false}', stash("b")],
  ["no JSON", '{"id":"a",tru', { message: expect.stringMatching(/^not JSON: Expected/u) }],
  ["no items", '{"id":"a","public":true}', { message: "a listed stash without items" }],
])("a change is read where it is wanted: %s", (_, json, expected) => {
  const found = readChange({ place: 3, json }, only("a"));
  const isRejected = expected !== undefined && "message" in expected;
  const more = isRejected ? { place: 3, json } : { json, value: found && tryParse(json) };
  if (expected === undefined) expect(found).toBe(undefined);
  else expect(found).toMatchObject({ ...expected, ...more });
});

const tryParse = (json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
};

it.each([
  ["one", '{"league":"L","market_id":"a|b","x":1.0}', { hour: 7, league: "L", marketId: "a|b" }],
  ["no JSON", "{", { place: 3, message: expect.stringMatching(/^not JSON: Expected/u) }],
  ["no league", '{"market_id":"a"}', { place: 3, message: "a market without league" }],
])("a market is read: %s", (_, json, expected) => {
  expect(readMarket({ place: 3, json }, 7)).toMatchObject({ ...expected, json });
});
