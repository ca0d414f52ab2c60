/** Clock and state on the control plane: advance, reset, snapshot, restore. */
import type { VirtualClock } from "../clock/VirtualClock.ts";
import { type Core, WORLD_START } from "../Core.ts";
import type { DataPart } from "../data/DataPart.ts";
import { json, type RequestInput } from "../http/messages.ts";
import { object } from "../internal/document.ts";
import { isoInstant, isWritable } from "../internal/instants.ts";
import type { Service } from "../Service.ts";
import type { Snapshot } from "../store/Store.ts";
import { ClockChange, type ClockReading, SandboxSnapshot } from "./documents.ts";
import { checkRule } from "./names.ts";
import {
  checked,
  type ControlHandler,
  type ControlRoute,
  durationOf,
  instantOf,
  readJson,
  rejected,
  route,
} from "./requests.ts";

/** Routes of clock and state. */
export const stateRoutes = (
  core: Core,
  service: Service,
  data: DataPart,
  stopScenarios: () => void,
): ReadonlyArray<ControlRoute> => {
  const { clock, config, store } = core;
  const { faults, journal, rates } = service;
  const reading = (): ClockReading => readClock(clock);

  const reset: ControlHandler = (request) => {
    checkBare(request);
    store.reset();
    clock.reset();
    rates.reset();
    faults.clear();
    stopScenarios();
    journal.clear();
    return json(reading());
  };

  const snapshot: ControlHandler = (request) => {
    checkBare(request);
    const document: SandboxSnapshot = {
      format: 1,
      seed: config.seed,
      clock: reading(),
      store: store.snapshot(),
      rates: rates.snapshot(),
      faults: faults.list(),
    };
    return json(document);
  };

  return [
    route("GET", "/control/clock", () => json(reading())),
    route("POST", "/control/clock", (request) => {
      changeClock(clock, checked(ClockChange, readJson(request)));
      return json(reading());
    }),
    route("POST", "/control/reset", reset),
    route("POST", "/control/snapshot", snapshot),
    route("POST", "/control/restore", (request) => {
      restore({ core, data, service }, checked(SandboxSnapshot, readJson(request)));
      return json(reading());
    }),
  ];
};

/** Refuses members where none has a meaning. */
const checkBare = (request: RequestInput): void => {
  if (request.body.length > 0) checked(object({}), readJson(request));
};

const readClock = (clock: VirtualClock): ClockReading => ({
  now: isoInstant(clock.now()),
  frozen: clock.state.frozen,
});

const changeClock = (clock: VirtualClock, change: ClockChange): void => {
  if (Object.keys(change).length === 0)
    rejected("name one of set, advance, beforeHour, freeze, unfreeze, reset");
  if (change.freeze === true && change.unfreeze === true)
    rejected("it stands still or runs on, not both", "/unfreeze");
  // Everything is read before anything is done: a request with one bad member changes nothing.
  const instant = change.set === undefined ? undefined : instantOf(change.set, "/set");
  const duration =
    change.advance === undefined ? undefined : durationOf(change.advance, "/advance");
  const beforeHour =
    change.beforeHour === undefined ? undefined : durationOf(change.beforeHour, "/beforeHour");
  if (!isWritable((instant ?? clock.now()) + (duration ?? 0)))
    rejected(
      "the clock stays within the years 0 to 9999",
      change.advance === undefined ? "/set" : "/advance",
    );
  if (change.reset === true) clock.reset();
  // Standing still comes first, so that what follows is exact to the millisecond.
  if (change.freeze === true) clock.freeze();
  if (instant !== undefined) clock.set(instant);
  if (duration !== undefined) clock.advance(duration);
  if (beforeHour !== undefined) clock.advance(untilHour(clock.now(), beforeHour));
  if (change.unfreeze === true) clock.resume();
};

interface Restored {
  readonly core: Core;
  readonly data: DataPart;
  readonly service: Service;
}

const restore = (parts: Restored, snapshot: SandboxSnapshot): void => {
  const { clock, store } = parts.core;
  const { faults, rates } = parts.service;
  const instant = checkSnapshot(parts, snapshot);
  const before = rates.snapshot();
  rates.restore(snapshot.rates as Parameters<typeof rates.restore>[0]);
  try {
    store.restore(snapshot.store as Snapshot);
  } catch (cause) {
    rates.restore(before);
    rejected(`the rows do not fit: ${String(cause)}`, "/store/tables");
  }
  faults.restore(snapshot.faults);
  clock.resume();
  clock.set(instant);
  if (snapshot.clock.frozen) clock.freeze(instant);
};

/** Refuses a snapshot that is not of this sandbox's world; returns the instant that it shows. */
const checkSnapshot = (parts: Restored, snapshot: SandboxSnapshot): number => {
  const { config, store } = parts.core;
  if (snapshot.seed !== config.seed)
    rejected(
      `the snapshot is of seed ${snapshot.seed}, this sandbox has seed ${config.seed}`,
      "/seed",
    );
  const theirs = snapshot.store.tables["meta"]?.find((row) => row["key"] === WORLD_START);
  const ours = store.getMeta(WORLD_START);
  if (theirs?.["value"] !== ours)
    rejected(
      `the snapshot's world started at ${instantText(theirs?.["value"])}, this one at ${instantText(ours)}`,
      "/store/tables/meta",
    );
  const instant = instantOf(snapshot.clock.now, "/clock/now");
  for (const [index, { addedAt, rule }] of snapshot.faults.entries()) {
    instantOf(addedAt, `/faults/${index}/addedAt`);
    checkRule(parts, rule, `/faults/${index}/rule`);
  }
  return instant;
};

const instantText = (millis: unknown): string =>
  millis === undefined || Number.isNaN(Number(millis))
    ? "an unknown time"
    : isoInstant(Number(millis));

const HOUR = 3_600_000;

/** Milliseconds until the first instant that is so long before a full hour. */
const untilHour = (now: number, before: number): number => (((-before - now) % HOUR) + HOUR) % HOUR;
