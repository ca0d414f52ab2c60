/** Ladders in time: levels of a young league, ranks that move, and a league that stands still. */
import { expect, it } from "vitest";
import { makeWorld } from "./helpers.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const { clock, world } = makeWorld();
const current = () => world.leagues("pc").find(({ record }) => record.category?.current === true)!;

// The second challenge league: no character of the seeded accounts is older than it.
const { endAt } = current().record;
const start = Date.parse(endAt!);
clock.now = start + HOUR;
const league = current();

const at = (millis: number, limit = 200) => {
  clock.now = start + millis;
  return world.ladders.page(league, "pc", "xp", { offset: 0, limit });
};
const levels = (millis: number) => {
  const { entries } = at(millis);
  return [entries[0]!, entries.at(-1)!].map(({ character }) => character.level);
};

it("a new league's ladder has few characters of low levels, and grows with the league", () => {
  const [first, last] = levels(HOUR);
  expect(first).toBeLessThanOrEqual(45);
  expect(last).toBeGreaterThanOrEqual(20);
  expect(at(HOUR).total).toBeLessThan(at(DAY).total);
  expect(at(DAY).total).toBeLessThan(at(7 * DAY).total);
  for (const [days, low, high] of [
    [1, 55, 80],
    [3, 75, 92],
    [7, 88, 98],
    [14, 94, 100],
    [60, 99, 100],
  ] as const) {
    const [top, bottom] = levels(days * DAY);
    expect.soft(top).toBeGreaterThanOrEqual(low);
    expect.soft(top).toBeLessThanOrEqual(high);
    expect.soft(top! - bottom!).toBeLessThanOrEqual(12);
  }
});

it("a ladder is sorted by experience, which never decreases, while ranks change", () => {
  const before = new Map(
    at(3 * DAY).entries.map(({ character, rank }) => [character.id, { character, rank }]),
  );
  const after = at(7 * DAY).entries;
  let same = 0;
  for (const { character, rank } of after) {
    const was = before.get(character.id);
    if (was === undefined) continue;
    expect(character.experience!).toBeGreaterThanOrEqual(was.character.experience!);
    if (was.rank === rank) same += 1;
  }
  expect(same).toBeLessThan(20);
  const experience = after.map(({ character }) => character.experience!);
  expect(experience).toEqual(experience.toSorted((one, other) => other - one));
  // The first twelve of a young league are not equal.
  expect(new Set(experience.slice(0, 12)).size).toBe(12);
});

it("a ladder changes only every five minutes", () => {
  const one = at(2 * DAY);
  expect(at(2 * DAY + 4 * 60_000)).toEqual(one);
  expect(at(2 * DAY + 6 * 60_000)).not.toEqual(one);
});

it("a ladder does not change after the end of its league", () => {
  const end = Date.parse(league.record.endAt!) - start;
  expect(at(end + 9 * DAY)).toEqual(at(end));
  expect(at(end)).not.toEqual(at(end - DAY));
});

it("characters of a permanent league's ladder reach the last level", () => {
  const standard = world.league("pc", "Standard")!;
  const { entries } = world.ladders.page(standard, "pc", "xp", { offset: 0, limit: 200 });
  expect(entries.filter(({ character }) => character.level === 100).length).toBeGreaterThan(100);
});
