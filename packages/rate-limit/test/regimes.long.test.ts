/**
 * All regimes with three seeds: none leaves its target, and none is worse by more than a point than
 * what docs/benchmarks.md says of it.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { figures, recorded } from "./model/recorded.ts";
import { regimes } from "./model/regimes.ts";
import { simulate } from "./model/simulate.ts";

const page = readFileSync(new URL("../../../docs/benchmarks.md", import.meta.url), "utf8");
const [, published = ""] = page.split("\n## Rate limits\n");

/** Mean utilisation and refusals of a regime, as published. */
const publishedOf = (name: string): readonly [utilisation: number, violations: number] => {
  const row = published.split("\n").find((line) => line.startsWith(`| ${name} `));
  const [, , utilisation, violations] = row?.split("|") ?? [];
  return [Number(utilisation), Number(violations)];
};

const mean = (values: ReadonlyArray<number>) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

describe("the planner against true sliding windows, three seeds", () => {
  it.each(regimes.map((regime) => [regime.name, regime] as const))(
    "keeps what is published: %s",
    (name, regime) => {
      const runs = [1, 2, 3].map((seed) => simulate(regime, seed));
      const [utilisation, violations] = publishedOf(name);
      expect(mean(runs.map((run) => run.utilisation))).toBeGreaterThan(utilisation - 1);
      expect(mean(runs.map((run) => run.violations))).toBeLessThan(violations + 1);
      // A plan is deterministic: `node test/model/recorded.ts --write` records a new one.
      expect(runs[0]!.utilisation).toBeGreaterThanOrEqual(regime.target);
      expect(figures(runs[0]!)).toBe(recorded()[name]);
    },
  );
});
