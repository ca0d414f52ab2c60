/** Every regime of the table in virtual time: nothing is lost that was reached once. */
import { describe, expect, it } from "vitest";
import { floors } from "./model/floors.ts";
import { regimes } from "./model/regimes.ts";
import { simulate } from "./model/simulate.ts";

describe("the planner against true sliding windows", () => {
  it.each(regimes.map((regime) => [regime.name, regime] as const))(
    "keeps its share of the oracle's requests: %s [NS-11]",
    (name, regime) => {
      const [, share, refused] = floors.find(([each]) => each === name)!;
      const { utilisation, violations } = simulate(regime, 1);
      expect(violations).toBeLessThanOrEqual(refused);
      expect(utilisation).toBeGreaterThanOrEqual(share);
    },
  );
});
