import { DateTime as EffectDateTime, Schema } from "effect";
import { expect, it } from "vitest";
import * as Drift from "../src/Drift.ts";
import { realms } from "../src/index.ts";
import { record } from "../src/notation.ts";
import * as DateTime from "../src/effect/DateTime.ts";
import { Guild, League, LeagueRule, Realm } from "../src/effect/index.ts";
import { about, absent, date } from "./support.ts";

it("records accept null or absence for members with `?`, and refuse both for other members [RC-001]", () => {
  const rule = about(LeagueRule, { id: "a", name: "b" });
  rule.takes({ "/description": [null] });
  rule.refuses({ "/name": [absent, null], "/description": [undefined] });
});

it("records refuse negative numbers, fractions and other types for an unsigned integer [RC-002]", () => {
  const guild = about(Guild, { id: 7, name: "Guild", tag: "G" });
  guild.takes({ "/id": [0, 1, Number.MAX_SAFE_INTEGER] });
  guild.refuses({ "/id": [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 1e21, true, null] });
});

it("records accept ISO 8601 date-times with Z or an offset, and Drift reports other dates [RC-003]", () => {
  const league = about(League, { id: "x" });
  const good = [
    ...[date, "2019-08-09T18:03:03+00:00", "2024-02-29T00:00:00.123Z", "2000-02-29T00:00:00Z"],
    ...["2026-02-28T00:00:00Z", "2026-03-31T00:00:00Z", "2026-12-31T23:59:59-12:00"],
  ];
  league.takes({ "/startAt": good });
  for (const text of good) expect(DateTime.isDateTimeString(text)).toBe(true);
  const days = ["2025-02-29", "2026-13-01", "2026-00-01", "2026-04-31", "2026-01-32"];
  const others = [
    ...[...days, "2100-02-29", "2026-03-00"].map((day) => `${day}T00:00:00Z`),
    ...["2026-03-01", "2026-03-01T12:00:00", "01/03/2026", "", ` ${date}`, `${date} `],
    ...["2026-03-01T24:00:00Z", "2026-03-01T12:60:00Z", "2026-03-01T12:00:0000:00"],
  ];
  league.drifts("other-form", { "/startAt": others });
  for (const text of others) {
    expect(DateTime.parse(text)).toBeUndefined();
    expect(DateTime.toEpochMillis(text)).toBeUndefined();
  }
});

it("DateTime.parse and toEpochMillis read an instant, and DateTime.format writes it in UTC", () => {
  const instant = DateTime.parse("2019-08-09T18:03:03+02:00")!;
  expect(EffectDateTime.toEpochMillis(instant)).toBe(Date.UTC(2019, 7, 9, 16, 3, 3));
  expect(DateTime.format(instant)).toBe("2019-08-09T16:03:03Z");
  expect(DateTime.toEpochMillis(date)).toBe(Date.UTC(2026, 2, 1, 12));
});

it("realms has the four realms, and the schema Realm accepts no other word [RC-005]", () => {
  expect(realms).toEqual(["pc", "console_a", "console_b", "game2"]);
  for (const realm of realms) expect(Schema.is(Realm)(realm)).toBe(true);
  for (const other of ["PC", "xbox", "", "game1"]) expect(Schema.is(Realm)(other)).toBe(false);
});

it.each<[notation: any, message: string]>([
  [{ a: { b: ["strng"] } }, 'Invalid notation at X.a.b: "strng".'],
  [{ a: ["?", ["either", "bool", "uint8"]] }, 'Invalid notation at X.a: "uint8".'],
  [{ a: ["string", "uint"] }, 'Invalid notation at X.a: ["string","uint"].'],
  [{ a: null }, "Invalid notation at X.a: null."],
  [{}, "Invalid notation at X: {}."],
  [undefined, "Invalid notation at X: undefined."],
])("record and Drift.report throw a TypeError for the table %j", (table, message) => {
  expect(() => record("X", table)).toThrow(new TypeError(message));
  expect(() => Drift.report(table, {})).toThrow(TypeError);
  expect(() => Drift.report(Schema.Struct({}) as any, {})).toThrow("An Effect Schema of your own");
});
