/** The requests that a window counts, in the order in which they leave. */
import { expect, it } from "vitest";
import { NEVER } from "../src/core/basics.ts";
import { drop, forgetBefore, freeing, newLog, order, weigh } from "../src/core/Log.ts";

/** A log of requests received at these times, and of so many of others at theirs. */
const logOf = (
  received: ReadonlyArray<number>,
  ...foreign: ReadonlyArray<readonly [at: number, weight: number]>
) => {
  const hits = received.map((at, id) => ({ id: `${id}`, sent: 0, received: at, lostAt: 90 }));
  const others = foreign.map(([at, weight]) => ({ sent: 0, received: at, weight }));
  const log = { ...newLog(), hits, foreign: { hits: others, arrivals: [], residual: 0 } };
  order(log, 0);
  return log;
};
const idsOf = ({ hits, ordered }: ReturnType<typeof logOf>) =>
  `${hits.map(({ id }) => id).join("")}, ${ordered} ordered`;

it("orders requests by their responses, and takes what has none for lost at its time", () => {
  const log = logOf([5, 5, NEVER, 3]);
  expect(idsOf(log)).toBe("3012, 3 ordered");
  order(log, 89);
  expect(log.hits.at(-1)).toMatchObject({ received: NEVER });
  order(log, 90);
  expect(log.hits.at(-1)).toMatchObject({ received: 90, uncertain: true });
  expect(idsOf(log)).toBe("3012, 4 ordered");
});

it.each([
  ["1", true, "02, 1 ordered"],
  ["2", true, "01, 2 ordered"],
  ["3", false, "012, 2 ordered"],
])("takes out the request %s: %s", (id, isIn, left) => {
  const log = logOf([1, 2, NEVER]);
  expect(drop(log, id)).toBe(isIn);
  expect(idsOf(log)).toBe(left);
});

it("forgets the requests of before a time, but for some", () => {
  const log = logOf([1, 2, 3, NEVER]);
  forgetBefore(log, 3, ({ id }) => id === "0");
  expect(idsOf(log)).toBe("023, 2 ordered");
});

it("counts what was received at a time or later, its own and others'", () => {
  const log = logOf([1, 2, 3], [2, 4]);
  expect([0, 2, 2.5, 4].map((cut) => weigh(log, cut))).toEqual([7, 6, 1, 0]);
});

it("finds the request whose departure makes so many places free", () => {
  const log = logOf([1, 3, NEVER], [2, 2], [3, 1]);
  const found = [0, 1, 2, 3, 4, 5, 6].map((need) => freeing(log, 0, need));
  expect(found).toEqual([-NEVER, 1, 2, 2, 3, 3, NEVER]);
  expect(freeing(log, 2, 2)).toBe(2);
});
