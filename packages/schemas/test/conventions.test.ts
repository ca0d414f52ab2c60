import { DateTime as EffectDateTime, Schema } from "effect";
import { describe, expect, it } from "vitest";
import { realms } from "../src/index.ts";
import * as DateTime from "../src/effect/DateTime.ts";
import { Guild, League, LeagueRule, Realm } from "../src/effect/index.ts";
import { expectConforming, date, expectDrift, expectRefused } from "./support.ts";

describe("Conventions of the specification", () => {
  it("takes `?` members as null or absent, all others as neither [RC-001]", () => {
    expectConforming(LeagueRule, { id: "a", name: "b" });
    expectConforming(LeagueRule, { id: "a", name: "b", description: null });
    expectRefused(LeagueRule, { id: "a" }, "/name");
    expectRefused(LeagueRule, { id: "a", name: null }, "/name");
    expectRefused(LeagueRule, { id: "a", name: "b", description: undefined }, "/description");
  });

  it("refuses negative and fractional unsigned integers, and what is no number [RC-002]", () => {
    const guild = { name: "Guild", tag: "G" };
    for (const id of [0, 1, Number.MAX_SAFE_INTEGER]) expectConforming(Guild, { ...guild, id });
    for (const id of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 1e21, true, null]) {
      expectRefused(Guild, { ...guild, id }, "/id");
    }
  });

  it("takes dates as ISO 8601 date-times, with Z or an offset [RC-003]", () => {
    for (const startAt of [date, "2019-08-09T18:03:03+00:00", "2024-02-29T00:00:00.123Z"]) {
      expectConforming(League, { id: "x", startAt });
      expect(DateTime.isDateTimeString(startAt)).toBe(true);
    }
    const others = [
      "2026-03-01",
      "2026-03-01T12:00:00",
      "2025-02-29T00:00:00Z",
      "01/03/2026",
      "2026-13-01T00:00:00Z",
      "2100-02-29T00:00:00Z",
      "2026-03-01T24:00:00Z",
      "2026-03-01T12:60:00Z",
      "2026-03-00T00:00:00Z",
      "",
    ];
    for (const startAt of others) {
      expectDrift(League, { id: "x", startAt }, "other-form /startAt");
      expect(DateTime.parse(startAt)).toBeUndefined();
      expect(DateTime.toEpochMillis(startAt)).toBeUndefined();
    }
  });

  it("reads and writes instants", () => {
    const instant = DateTime.parse("2019-08-09T18:03:03+02:00")!;
    expect(EffectDateTime.toEpochMillis(instant)).toBe(Date.UTC(2019, 7, 9, 16, 3, 3));
    expect(DateTime.format(instant)).toBe("2019-08-09T16:03:03Z");
    expect(DateTime.toEpochMillis(date)).toBe(Date.UTC(2026, 2, 1, 12));
  });

  it("has exactly four realms [RC-005]", () => {
    expect(realms).toEqual(["pc", "console_a", "console_b", "game2"]);
    for (const realm of realms) expect(Schema.is(Realm)(realm)).toBe(true);
    for (const other of ["PC", "xbox", "", "game1"]) expect(Schema.is(Realm)(other)).toBe(false);
  });
});
