/** `MUTANTS=60000 vitest run test/mutants.long.test.ts` judges that many. */
import { expect, it } from "vitest";
import { judgeMutants } from "./mutants.ts";

const COUNT = Number(process.env["MUTANTS"] ?? 10_000);
const SEED = Number(process.env["SEED"] ?? 39);

it(`records, Effect Schemas and Drift agree on ${COUNT} mutants`, { timeout: 900_000 }, () => {
  const { disagreements, refused } = judgeMutants(COUNT, SEED);
  expect(disagreements).toEqual([]);
  expect(refused).toBeGreaterThan(COUNT / 3);
});
