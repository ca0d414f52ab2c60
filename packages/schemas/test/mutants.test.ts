/**
 * The plain check, the Effect Schema, Effect's interpreter, `Drift.typeErrors` and ajv over the JSON
 * Schema give the same verdict on damaged records, and the readers of the package name the same
 * places. An accepted value is returned itself. `mutants.long.test.ts` judges more of them.
 */
import { expect, it } from "vitest";
import { judgeMutants, readers } from "./mutants.ts";

it.for(readers)("$name and its Effect Schema accept generated values", ({ judge, samples }) => {
  for (const sample of samples) expect(judge(sample)).toBe(true);
});

it("records, Effect Schemas, Drift and ajv give the same verdict on 500 damaged values", () => {
  const { disagreements, refused } = judgeMutants(500, 38);
  expect(disagreements).toEqual([]);
  expect(refused).toBeGreaterThan(500 / 3);
  expect(refused).toBeLessThan(500);
});
