/** Clock and state on the control plane: advance, reset, snapshot, restore. */
import * as Effect from "effect/Effect";
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder";
import { WORLD_START } from "../Core.ts";
import { isoInstant, isWritable, parseDuration, parseInstant } from "../internal/instants.ts";
import type { StoreSnapshot } from "../store/Store.ts";
import type { VirtualClock } from "../clock/VirtualClock.ts";
import { ControlApi } from "./Api.ts";
import type { ClockChange, ClockReading, SandboxSnapshot } from "./documents.ts";
import { checkRule } from "./names.ts";
import { attempt, type Plane, rejected } from "./respond.ts";

const readClock = ({ core: { clock } }: Plane): ClockReading => ({
  now: isoInstant(clock.now()),
  frozen: clock.state.frozen,
});

const changeClock = (clock: VirtualClock, change: ClockChange): void => {
  const { advance, beforeHour: before, set } = change;
  const instant = parseInstant(set ?? "");
  const duration = parseDuration(advance ?? "");
  const beforeHour = parseDuration(before ?? "");
  if (!isWritable((instant ?? clock.now()) + (duration ?? 0)))
    rejected(
      "the clock stays within the years 0 to 9999",
      advance === undefined ? "/set" : "/advance",
    );
  if (change.reset === true) clock.reset();
  // Standing still comes first, so that what follows is exact to the millisecond.
  if (change.freeze === true) clock.freeze();
  if (instant !== undefined) clock.set(instant);
  if (duration !== undefined) clock.advance(duration);
  if (beforeHour !== undefined) clock.advance(untilHour(clock.now(), beforeHour));
  if (change.unfreeze === true) clock.resume();
};

const restore = (plane: Plane, snapshot: SandboxSnapshot): void => {
  const { clock, store } = plane.core;
  const { faults, rates } = plane.service;
  const instant = checkSnapshot(plane, snapshot);
  const before = rates.snapshot();
  rates.restore(snapshot.rates as Parameters<typeof rates.restore>[0]);
  try {
    store.restore(snapshot.store as StoreSnapshot);
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
const checkSnapshot = (plane: Plane, snapshot: SandboxSnapshot): number => {
  const { config, store } = plane.core;
  if (snapshot.seed !== config.seed)
    rejected(
      `the snapshot is of seed ${snapshot.seed}, this sandbox has seed ${config.seed}`,
      "/seed",
    );
  const theirs = snapshot.store.tables["meta"]?.find((row) => row["key"] === WORLD_START);
  const ours = store.meta.get(WORLD_START)?.value;
  if (theirs?.["value"] !== ours)
    rejected(
      `the snapshot's world started at ${instantText(theirs?.["value"])}, this one at ${instantText(ours)}`,
      "/store/tables/meta",
    );
  const instant = parseInstant(snapshot.clock.now)!;
  for (const [index, { rule }] of snapshot.faults.entries())
    checkRule(plane, rule, `/faults/${index}/rule`);
  return instant;
};

const instantText = (millis: unknown): string =>
  millis === undefined || Number.isNaN(Number(millis))
    ? "an unknown time"
    : isoInstant(Number(millis));

const HOUR = 3_600_000;

/** Milliseconds until the first instant that is so long before a full hour. */
const untilHour = (now: number, before: number): number => (((-before - now) % HOUR) + HOUR) % HOUR;

const reset = ({ core, scenarios, service }: Plane): void => {
  core.store.reset();
  core.clock.reset();
  service.rates.reset();
  service.faults.clear();
  scenarios.clear();
  service.journal.clear();
};

const snapshotOf = (plane: Plane): SandboxSnapshot => ({
  format: 1,
  seed: plane.core.config.seed,
  clock: readClock(plane),
  store: plane.core.store.snapshot() as SandboxSnapshot["store"],
  rates: plane.service.rates.snapshot(),
  faults: plane.service.faults.list(),
});

export const clockHandlers = (plane: Plane) =>
  HttpApiBuilder.group(ControlApi, "clock", (handlers) =>
    handlers.handleAll({
      read: () => Effect.sync(() => readClock(plane)),
      change: ({ payload }) =>
        attempt(() => {
          changeClock(plane.core.clock, payload);
          return readClock(plane);
        }),
    }),
  );

export const stateHandlers = (plane: Plane) =>
  HttpApiBuilder.group(ControlApi, "state", (handlers) =>
    handlers.handleAll({
      reset: () =>
        Effect.sync(() => {
          reset(plane);
          return readClock(plane);
        }),
      snapshot: () => Effect.sync(() => snapshotOf(plane)),
      restore: ({ payload }) =>
        attempt(() => {
          restore(plane, payload);
          return readClock(plane);
        }),
    }),
  );
