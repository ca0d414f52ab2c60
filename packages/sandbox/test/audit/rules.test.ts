/** The rules of the audit: their guide, and reports of what they could not judge. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { toJUnit, toText } from "../../src/audit/formats.ts";
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
  expect(toText(nothing)).toContain("not exercised");
});

it("stands in the guide, rule by rule", () => {
  const guide = readFileSync(new URL("../../../../docs/guides/audit.md", import.meta.url), "utf8");
  const rows = [...guide.matchAll(/^\| (A\d\d .*?) +\| (error|warning) /gmu)].map(
    ([, rule, level]) => `${rule} ${level}`,
  );
  expect(rows).toEqual(RULES.map(({ id, severity, title }) => `${id} ${title} ${severity}`));
});
