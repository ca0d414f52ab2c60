/** The rules of the audit: their guide, and reports of what they could not judge. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { HINTS, toJUnit, toText } from "../../src/audit/formats.ts";
import { report } from "../../src/audit/report.ts";
import { RULES } from "../../src/audit/rules.ts";

it("never calls a rule passed that was not exercised", () => {
  const nothing = report([{ scenario: "baseline", entries: [], publicClients: new Set() }]);
  expect(nothing.rules.map(({ id, verdict }) => [id, verdict])).toEqual(
    RULES.map(({ id }) => [id, "not exercised"]),
  );
  expect(toJUnit(nothing)).toContain(`errors="0" failures="0" skipped="${RULES.length}"`);
  // Who reads the files alone must not see green where nothing could be judged.
  for (const exit of [4, 5]) expect(toJUnit({ ...nothing, exit })).toContain(`errors="1"`);
  expect(toText(nothing)).toContain(
    `not exercised, and so not judged: ${RULES.map(({ id }) => id).join(", ")}`,
  );
});

it("the report lists failures first, each with a hint", () => {
  const broken = [{ scenario: "gone", message: "went wrong", requests: [] }];
  const none = report([{ scenario: "baseline", entries: [], publicClients: new Set() }]);
  const rules = none.rules.map((rule) => {
    if (rule.id === "A01") return { ...rule, verdict: "pass" as const };
    return rule.id === "A43" ? { ...rule, broken, verdict: "fail" as const } : rule;
  });
  const [first, second, third, fourth] = toText({ ...none, rules }).split("\n");
  expect(first).toMatch(/^✗ A43 /u);
  expect(second).toBe("      gone: went wrong");
  expect(third).toContain(`change: ${HINTS["A43"]} (https://`);
  expect(fourth).toMatch(/^✓ A01 /u);
});

it("every rule has a hint", () => {
  expect(Object.keys(HINTS)).toEqual(RULES.map(({ id }) => id));
});

it("a create may be sent again after a 503 or a look, and not after a response that did not arrive whole", () => {
  const entry = (id: number, about: object) => ({
    id,
    endpoint: "itemFilters.create",
    requestRef: "one",
    status: 201,
    isWhole: true,
    ...about,
  });
  const { check } = RULES.find(({ id }) => id === "A08")!;
  const judged = (about: object, ...between: ReadonlyArray<object>) =>
    check({
      scenario: "maintenance",
      entries: [entry(1, about), ...between, entry(3, {})] as never,
      publicClients: new Set(),
    }).broken.length;
  expect(judged({ status: 503 })).toBe(0);
  expect([judged({ status: null }), judged({ isWhole: false })]).toEqual([1, 1]);
  expect(judged({ isWhole: false }, entry(2, { endpoint: "itemFilters.list" }))).toBe(0);
});

it("the guide lists every rule", () => {
  const guide = readFileSync(new URL("../../../../docs/guides/audit.md", import.meta.url), "utf8");
  const rows = [...guide.matchAll(/^\| (A\d\d .*?) +\| (error|warning) /gmu)].map(
    ([, rule, level]) => `${rule} ${level}`,
  );
  expect(rows).toEqual(RULES.map(({ id, severity, title }) => `${id} ${title} ${severity}`));
});
