/** The follower compared with a model of the stream, under any script of responses. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { answerHistory, type Fault, type Seen } from "./support/FaultServer.ts";
import { makeHistory, type MadePage } from "./support/History.ts";
import { differences, follow, tagOf, waitsOf } from "./support/Run.ts";

/** Faults after which the page arrives in the end. */
const passing: fc.Arbitrary<Fault | undefined> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(undefined) },
  fc.constantFrom<Fault>(
    { kind: "status", status: 500 },
    { kind: "status", status: 503, headers: { "retry-after": "7" } },
    { kind: "status", status: 429, headers: { "retry-after": "3" } },
    { kind: "status", status: 404 },
    { kind: "reset" },
    { kind: "hang" },
    { kind: "cut", at: 0.5 },
    { kind: "stallAfter", at: 0.5 },
    { kind: "wrongLength" },
    { kind: "corruptGzip" },
    { kind: "malformed", keepHead: true },
    { kind: "malformed", keepHead: false },
    { kind: "delay", millis: 900 },
  ),
);

/** The follower gives up a page after four bad responses, so a script has at most three per id. */
const fewSuspects = (script: ReadonlyArray<Fault | undefined>) => {
  const suspects = new Map<string, number>();
  return (seen: Seen): Fault | undefined => {
    const fault = script[seen.index];
    const badPage =
      fault?.kind === "malformed" || (fault?.kind === "status" && fault.status === 404);
    if (!badPage) return fault;
    const count = (suspects.get(seen.id ?? "") ?? 0) + 1;
    suspects.set(seen.id ?? "", count);
    return count > 3 ? undefined : fault;
  };
};

/**
 * The model: every page is applied once and in order, only ids that the stream named are requested,
 * and each of them at most twice a second.
 */
const expectRightReading = (
  history: ReadonlyArray<MadePage>,
  { exit, memory, seen }: Awaited<ReturnType<typeof follow>>,
) => {
  expect(tagOf(exit)).toBe(undefined);
  expect(memory.pages.map((page) => page.nextId)).toEqual(history.map((page) => page.nextId));
  expect(memory.pages.map((page) => page.requestedId)).toEqual([
    undefined,
    ...history.slice(1).map((page) => page.id),
  ]);
  expect(differences(memory, history)).toEqual([]);
  expect(memory.quarantine).toEqual([]);
  // Instants of the virtual clock are fractions; to the nanosecond their difference is exact.
  const sameId = [...new Set(seen.map(({ id }) => id))].flatMap((id) =>
    waitsOf(seen.filter((one) => one.id === id)).map((wait) => Math.round(wait * 1e6) / 1e6),
  );
  expect(Math.min(500, ...sameId)).toBeGreaterThanOrEqual(500);
  const named = new Set<string | undefined>([undefined, ...history.map((page) => page.nextId)]);
  expect(seen.every((one) => named.has(one.id))).toBe(true);
};

it(
  "a follower reads all pages once and in order, whatever requests fail [ST-06] [ST-07] [ST-08]",
  { timeout: 60_000 },
  () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 6 }),
        fc.array(passing, { maxLength: 14, size: "max" }),
        async (count, script) => {
          const history = makeHistory({ pages: count, seed: count, stashPool: 8 });
          const followed = await follow({
            answer: answerHistory(history),
            fault: fewSuspects(script),
          });
          expectRightReading(history, followed);
        },
      ),
      { numRuns: 20, seed: 20_261_121 },
    ),
);
