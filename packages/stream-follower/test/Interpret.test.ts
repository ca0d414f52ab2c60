/** The table drives the loop: another action in a cell gives another stream. */
import { Effect, Exit } from "effect";
import { describe, expect, it } from "vitest";
import { resolve } from "../src/Options.ts";
import { makePageStream } from "../src/core/PageStream.ts";
import type { Table } from "../src/core/interpret.ts";
import {
  type Action,
  type EventName,
  type StateName,
  table as theTable,
} from "../src/core/StateMachine.ts";
import { answerHistory, type Fault, type Seen } from "./support/FaultServer.ts";
import { makeHistory } from "./support/History.ts";
import { KEY, virtually } from "./support/Run.ts";
import { scripted } from "./support/ScriptedSource.ts";

const pages = makeHistory({ pages: 4 });

/** Fault or jump at the second page, and the cells that it leads through. */
interface Scenario {
  readonly cells: ReadonlyArray<readonly [StateName, EventName]>;
  readonly fault?: (seen: Seen, tries: number) => Fault | undefined;
  readonly isJump?: boolean;
}

const onSecond =
  (fault: Fault, times = 1) =>
  (seen: Seen, tries: number) =>
    seen.id === pages[1]!.id && tries < times ? fault : undefined;
const leadingTo = (id: string): Fault => {
  const body = JSON.stringify({ next_change_id: id, stashes: pages[1]!.stashes });
  return { kind: "replace", answer: { body } };
};

const scenarios: Readonly<Record<string, Scenario>> = {
  "a history to its end": {
    cells: [
      ["requesting", "data"],
      ["requesting", "tail"],
      ["delivering", "consumed"],
      ["tail", "timer"],
    ],
  },
  "an end with data": {
    cells: [["delivering", "consumedAtTail"]],
    fault: onSecond(leadingTo(pages[1]!.id)),
  },
  "a passing fault": {
    cells: [
      ["requesting", "transient"],
      ["backingOff", "timer"],
    ],
    fault: onSecond({ kind: "status", status: 503 }),
  },
  "a 429": {
    cells: [["requesting", "rateLimited"]],
    fault: onSecond({ kind: "status", status: 429, headers: { "retry-after": "7" } }),
  },
  "a malformed page": {
    cells: [
      ["requesting", "badPage"],
      ["retryingBadPage", "timer"],
    ],
    fault: onSecond({ kind: "malformed", keepHead: false }),
  },
  "a page that leads back": {
    cells: [
      ["requesting", "violation"],
      ["paused", "timer"],
    ],
    fault: (seen, tries) =>
      seen.id === pages[2]!.id && tries < 1 ? leadingTo(pages[1]!.id) : undefined,
  },
  "a refused token": {
    cells: [["requesting", "fatal"]],
    fault: onSecond({ kind: "status", status: 403 }),
  },
  "a refused id": {
    cells: [["requesting", "rewind"]],
    fault: onSecond({ kind: "status", status: 404 }, Infinity),
    isJump: true,
  },
};

/** Runs a stream under a table. Records its pages, its requests and their times, and its end. */
const trace = async ({ fault, isJump }: Scenario, table: Table): Promise<string> => {
  const tries = new Map<string | undefined, number>();
  let index = 0;
  const { seen, source } = scripted({
    answer: answerHistory(pages),
    fault: (one) => {
      const before = tries.get(one.id) ?? 0;
      tries.set(one.id, before + 1);
      return fault?.(one, before);
    },
  });
  const settings = resolve({
    prefetch: "none",
    badPageRetryDelays: ["2 seconds", "8 seconds"],
    backoff: { base: "500 millis", cap: "500 millis" },
    ...(isJump === true ? { onIdRejected: { jumpTo: pages[2]!.id } } : {}),
  });
  const found: Array<string> = [];
  const exit = await virtually(
    Effect.scoped(
      Effect.gen(function* () {
        const start = { id: undefined, seq: 0n, checksum: undefined, level: "items" } as const;
        const stream = yield* makePageStream(source, KEY, settings, { ...start, table });
        for (; index < 6; index += 1) {
          const page = yield* Effect.timeoutOption(stream.pull, "3 minutes");
          if (page._tag === "None") return found.push("nothing came");
          if (page.value === undefined) return found.push("the end");
          found.push(page.value.nextId);
        }
        return 0;
      }),
    ),
    { limitMillis: 1_800_000 },
  );
  // Which of the waits has jitter is not the table's business: seconds are enough.
  const requests = seen.map(({ at, id }) => `${id} at ${Math.ceil(at / 1000)}`);
  const end = Exit.isSuccess(exit) ? "ended" : String(exit.cause).slice(0, 80);
  return JSON.stringify({ found, requests, end }, undefined, 1);
};

/** Another action for a cell: one that is wrong there. */
const wrong: Readonly<Record<Action, Action>> = {
  deliver: "requestNext",
  requestNext: "end",
  requestSame: "waitIdle",
  requestElsewhere: "requestSame",
  waitIdle: "requestNext",
  waitBackoff: "requestNext",
  waitSpaced: "waitPause",
  waitPause: "end",
  fail: "end",
  end: "fail",
  nothing: "fail",
};

describe.each(Object.entries(scenarios))("%s", (_, scenario) => {
  let traced: Promise<string> | undefined;
  const right = () => (traced ??= trace(scenario, theTable));
  it.each(scenario.cells)("runs the action of %s × %s", async (state, event) => {
    const cell = theTable[state][event];
    if ("impossible" in cell) throw new Error("not a step");
    const row = { ...theTable[state], [event]: { ...cell, action: wrong[cell.action] } };
    expect(await trace(scenario, { ...theTable, [state]: row })).not.toBe(await right());
  });
});

it("gives the same trace twice", async () => {
  for (const scenario of Object.values(scenarios)) {
    expect(await trace(scenario, theTable)).toBe(await trace(scenario, theTable));
  }
});

it("visits every cell that a stream can reach", () => {
  const visited = Object.values(scenarios).flatMap(({ cells }) => cells.map(String));
  // `stop` is the end of the scope, and what has ended is not pulled again.
  const reachable = Object.entries(theTable).flatMap(([state, row]) =>
    Object.entries(row).flatMap(([event, cell]) =>
      "impossible" in cell || event === "stop" ? [] : [`${state},${event}`],
    ),
  );
  expect(visited.toSorted()).toEqual(reachable.toSorted());
});
