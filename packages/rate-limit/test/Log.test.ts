/** The log of one identity in one window, against a plain list. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NEVER } from "../src/core/basics.ts";
import { newBelief } from "../src/core/Belief.ts";
import {
  add,
  ARRIVAL_MEMORY,
  CLOCK_STEP,
  drop,
  foreignFrom,
  forgetBefore,
  freeing,
  MEMORY,
  mostBy,
  newLog,
  order,
  weigh,
} from "../src/core/Log.ts";
import type { ForeignHits, Hit, Log, WindowState } from "../src/core/Log.ts";

const PERIOD = 1000;
const windowOf = (): WindowState => ({
  key: "w",
  rule: "w",
  max: 5,
  period: PERIOD,
  seenAt: 0,
  belief: newBelief(PERIOD, 5, [], 0),
  logs: new Map(),
});
/** A hit that was received so long ago has left, and its count cannot come any more. */
const KEPT = PERIOD + windowOf().belief.slack + MEMORY;

interface Plain extends Hit {
  /** It had its response when the list was put in order last. */
  isOrdered: boolean;
}

/** What a log promises, said by lists that are looked at from one end to the other. */
const plainLog = () => {
  let hits: ReadonlyArray<Plain> = [];
  let foreign: ReadonlyArray<ForeignHits> = [];
  const self = {
    hits: () => hits.map(({ isOrdered: _isOrdered, ...hit }) => hit),
    foreign: () => foreign,
    ordered: () => hits.filter(({ isOrdered }) => isOrdered).length,
    order: (now: number): void => {
      hits = hits
        .map((hit) =>
          hit.received === NEVER && hit.lostAt <= now
            ? { ...hit, received: hit.lostAt, uncertain: true }
            : hit,
        )
        .map((hit) => ({ ...hit, isOrdered: hit.received < NEVER }))
        .toSorted((a, b) => (a.received === b.received ? 0 : a.received - b.received));
    },
    forgetBefore: (cut: number, passes: (hit: Hit) => boolean): void => {
      hits = hits.filter((hit) => hit.received >= cut || passes(hit));
    },
    add: (hit: Hit, now: number): void => {
      self.order(now);
      self.forgetBefore(now - KEPT, () => false);
      foreign = foreign.filter(({ received }) => received >= now - KEPT);
      hits = [...hits, { ...hit, isOrdered: false }];
      self.order(now);
    },
    drop: (id: string): boolean => {
      const before = hits.length;
      hits = hits.filter((hit) => hit.id !== id);
      return hits.length < before;
    },
    answer: (id: string, change: Partial<Hit>): void => {
      hits = hits.map((hit) => (hit.id === id ? { ...hit, ...change } : hit));
    },
    others: (seen: ForeignHits): void => {
      foreign = [...foreign, seen];
    },
    /** The times at which the places from `cut` on were taken, the earliest first. */
    taken: (cut: number): ReadonlyArray<number> =>
      [
        ...hits.map(({ received }) => received),
        ...foreign.flatMap(({ received, weight }) => Array<number>(weight).fill(received)),
      ]
        .filter((received) => received >= cut)
        .toSorted((a, b) => a - b),
  };
  return self;
};

/** What happens next, to which of the hits, after so many milliseconds. */
const steps = fc.array(
  fc.record({
    what: fc.constantFrom(
      "add",
      "add",
      "late",
      "answer",
      "answer",
      "lose",
      "drop",
      "cut",
      "others",
    ),
    which: fc.nat(30),
    millis: fc.oneof(fc.nat(3), fc.nat(3), fc.nat(900)),
  }),
  { minLength: 20, maxLength: 60 },
);

it("a log counts as a plain list does, whatever came in whatever order", () => {
  fc.assert(
    fc.property(steps, (all) => {
      const window = windowOf();
      const log = newLog();
      window.logs.set("me", log);
      const plain = plainLog();
      const sent: Array<Hit> = [];
      let now = 0;
      for (const { millis, what, which } of all) {
        now += millis;
        const hit = sent[which % sent.length];
        if (what === "add" || what === "late") {
          const received = what === "late" ? now - which : NEVER;
          const next = { id: `${sent.length}`, sent: now - 30, received, lostAt: now + 2000 };
          sent.push(next);
          plain.add(next, now);
          add(window, log, next, now);
        } else if (what === "others") {
          const seen = { sent: now - 5, received: now, weight: 1 + (which % 3) };
          log.foreign ??= { hits: [], arrivals: [], residual: 0 };
          log.foreign.hits = [...log.foreign.hits, seen];
          plain.others(seen);
        } else if (what === "cut") {
          const passes = ({ uncertain }: Hit): boolean => uncertain === true;
          order(log, now);
          plain.order(now);
          forgetBefore(log, now - 20 * which, passes);
          plain.forgetBefore(now - 20 * which, passes);
        } else if (what === "drop") expect(drop(log, `${which}`)).toBe(plain.drop(`${which}`));
        else if (hit && hit.received === NEVER) {
          const change = { received: now, ...(what === "lose" && { uncertain: true }) };
          Object.assign(hit, change);
          plain.answer(hit.id, change);
        }
        expect([log.ordered, log.foreign?.hits ?? []]).toEqual([plain.ordered(), plain.foreign()]);
        if (which % 3 > 0) continue;
        order(log, now);
        plain.order(now);
        const cuts = [now - which, now - 40 * which, plain.taken(0)[0] ?? 0];
        const needs = Array.from({ length: 8 }, (_, index) => index + 1);
        expect({
          hits: log.hits,
          counts: cuts.map((cut) => [
            weigh(log, cut),
            foreignFrom(log, cut),
            ...needs.map((need) => freeing(log, cut, need)),
          ]),
        }).toEqual({
          hits: plain.hits(),
          counts: cuts.map((cut) => [
            plain.taken(cut).length,
            plain.foreign().filter(({ received }) => received >= cut),
            ...needs.map((need) => plain.taken(cut)[need - 1] ?? NEVER),
          ]),
        });
      }
    }),
    // One that fails is long enough to read.
    { numRuns: 20, seed: 3, endOnFailure: true },
  );
});

describe("a log of many users", () => {
  /** The users whose logs are left at a time, after twenty requests of another one. */
  const left = (logs: Readonly<Record<string, Log>>, now: number): ReadonlyArray<string> => {
    const window = windowOf();
    for (const [user, log] of Object.entries(logs)) window.logs.set(user, log);
    const busy = newLog();
    window.logs.set("busy", busy);
    for (let index = 0; index < 20; index++)
      add(window, busy, { id: `${index}`, sent: now, received: now, lostAt: now }, now);
    return [...window.logs.keys()];
  };
  const hitAt = (received: number): Hit => ({ id: "x", sent: 0, received, lostAt: 2000 });

  it.each([
    [KEPT - 1, ["hit", "lost", "seen", "busy"]],
    [KEPT + 1, ["lost", "seen", "busy"]],
    [KEPT + 2001, ["seen", "busy"]],
    [ARRIVAL_MEMORY - 1, ["seen", "busy"]],
    [ARRIVAL_MEMORY, ["busy"]],
  ])("goes when nothing of it counts any more: after %i ms", (now, users) => {
    const arrivals = [{ at: 0, millis: 1000, weight: 1 }];
    const logs = {
      hit: { ...newLog(), hits: [hitAt(0)] },
      lost: { ...newLog(), hits: [hitAt(NEVER)] },
      seen: { ...newLog(), foreign: { hits: [], arrivals, residual: 0 } },
      empty: newLog(),
    };
    expect(left(logs, now)).toEqual(users);
  });

  it("forgets and orders the hits of each with its next request, however many there are", () => {
    const window = windowOf();
    const log = newLog();
    for (let user = 0; user < 100; user++) window.logs.set(`${user}`, newLog());
    window.logs.set("me", log);
    add(window, log, hitAt(0), 0);
    add(window, log, { ...hitAt(NEVER), id: "y", lostAt: NEVER }, KEPT + 1);
    add(window, log, { ...hitAt(KEPT), id: "z" }, KEPT + 1);
    expect(log.hits.map(({ id }) => id)).toEqual(["z", "y"]);
  });
});

it("gives a request up at its deadline, and not before", () => {
  const log = { ...newLog(), hits: [{ id: "x", sent: 0, received: NEVER, lostAt: 100 }] };
  order(log, 99);
  expect(log.hits).toMatchObject([{ received: NEVER }]);
  order(log, 100);
  expect(log.hits).toMatchObject([{ received: 100, uncertain: true }]);
});

it.each([
  [[50, 90, 100, 110, NEVER], 100, 130, 7 + 2 - 1],
  [[50, 90, 100, 110, NEVER], 100, 100, 7 + 2],
  [[50, 90, 100 + CLOCK_STEP, NEVER], 100, 101, 7 + 2 - 1],
  [[], 100, 101, 7 - 1],
])("after %o a report counts those that are not in it: sent %i", (times, sent, received, most) => {
  const hits = times.map((at, index) => ({ id: `${index}`, sent: 0, received: at, lostAt: NEVER }));
  expect(mostBy({ ...newLog(), hits }, { id: "r", count: 7, sent, received })).toBe(most);
});
