import { expect, it } from "vitest";
import * as Conformance from "../src/Conformance.ts";
import { Market } from "../src/index.ts";
import { market as hour } from "./support.ts";

// Quadratic time would exceed the time limit of a test.
it("Conformance takes linear time for a market", () => {
  const names = Array.from({ length: 200_000 }, (_, index) => `c${index}`);
  const volumes = Object.fromEntries(names.map((name) => [name, 1]));
  const many = { ...hour, market_id: names.join("|"), volume_traded: volumes };
  const kinds = Conformance.report(Market, { ...many, lowest_stock: volumes });
  expect(kinds.map(({ pointer }) => pointer)).not.toContain("/volume_traded");
  expect(kinds.map(({ pointer }) => pointer)).toContain("/highest_stock");
});
