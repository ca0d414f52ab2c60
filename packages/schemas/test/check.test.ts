import { describe, expect, it } from "vitest";
import { check, recordKinds } from "../src/Check.ts";
import * as records from "../src/index.ts";
import { recordsDocument } from "../src/JsonSchema.ts";

const { ItemFilter, League, LeagueRule } = records;
const rule = { id: "a", name: "b" };

describe("a verdict", () => {
  it("is valid where a value decodes, with its deviations beside it", () => {
    expect(check(LeagueRule, rule)).toEqual({ valid: true, issues: [], drift: [] });
    const { drift, issues, valid } = check(LeagueRule, { ...rule, extra: 1 });
    expect([valid, issues.length]).toEqual([true, 0]);
    expect(drift).toMatchObject([{ kind: "unknown-key", pointer: "/extra", accepted: true }]);
  });

  it("tells what is refused apart from what is only unexpected", () => {
    const { drift, issues, valid } = check(LeagueRule, { id: 1, extra: 1 });
    expect(valid).toBe(false);
    expect(issues.map(({ pointer }) => pointer).toSorted()).toEqual(["/id", "/name"]);
    expect(drift.map(({ pointer }) => pointer)).toEqual(["/extra"]);
  });

  it("is that of the shape that fits best, whichever comes first", () => {
    const league = { id: "Standard" };
    for (const shapes of [[ItemFilter, League] as const, [League, ItemFilter] as const])
      expect(check(shapes, league).valid).toBe(true);
    expect(check([ItemFilter, LeagueRule], { id: "a" }).issues).toHaveLength(1);
  });
});

it("the kinds are all records of the package, by their names", () => {
  for (const [name, record] of recordKinds) expect(records).toHaveProperty(name, record);
  for (const name of Object.keys(recordsDocument().$defs)) expect(recordKinds.has(name)).toBe(true);
  expect(recordKinds.has("masteryEffects")).toBe(false);
});
