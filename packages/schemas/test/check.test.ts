import { expect, it } from "vitest";
import { check, recordKinds } from "../src/Check.ts";
import * as records from "../src/index.ts";
import { recordsDocument } from "../src/JsonSchema.ts";

const { LeagueRule } = records;
const rule = { id: "a", name: "b" };

it("check reports a value that decodes as valid, and its deviations as drift", () => {
  expect(check(LeagueRule, rule)).toEqual({ valid: true, issues: [], drift: [] });
  const { drift, issues, valid } = check(LeagueRule, { ...rule, extra: 1 });
  expect([valid, issues.length]).toEqual([true, 0]);
  expect(drift).toMatchObject([{ kind: "unknown-key", pointer: "/extra", accepted: true }]);
});

it("check lists refused deviations as issues, and accepted deviations as drift", () => {
  const { drift, issues, valid } = check(LeagueRule, { id: 1, extra: 1 });
  expect(valid).toBe(false);
  expect(issues.map(({ pointer }) => pointer).toSorted()).toEqual(["/id", "/name"]);
  expect(drift.map(({ pointer }) => pointer)).toEqual(["/extra"]);
});

it("recordKinds holds all records of the package by name", () => {
  for (const [name, record] of recordKinds) expect(records).toHaveProperty(name, record);
  for (const name of Object.keys(recordsDocument().$defs)) expect(recordKinds.has(name)).toBe(true);
  expect(recordKinds.has("masteryEffects")).toBe(false);
});
