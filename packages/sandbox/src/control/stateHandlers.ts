/** Clock and state on the control plane: advance, reset, snapshot, restore. */
import * as Effect from "effect/Effect";
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder";
import { WORLD_START } from "../State.ts";
import { isoInstant, isWritable, parseDuration, parseInstant } from "../internal/instants.ts";
import type { StoreSnapshot } from "../store/Store.ts";
import type { VirtualClock } from "../clock/VirtualClock.ts";
import { ControlApi } from "./Api.ts";
import type { ClockChange, ClockReading, SandboxSnapshot } from "./documents.ts";
import { checkRule } from "./names.ts";
import { attempt, type ControlContext, rejected } from "./respond.ts";

const readClock = ({ state: { clock } }: ControlContext): ClockReading => ({
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

const restore = (context: ControlContext, snapshot: SandboxSnapshot): void => {
  const { clock, store } = context.state;
  const { faults, rates } = context.server;
  const instant = checkSnapshot(context, snapshot);
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
const checkSnapshot = (context: ControlContext, snapshot: SandboxSnapshot): number => {
  const { config, store } = context.state;
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
    checkRule(context, rule, `/faults/${index}/rule`);
  return instant;
};

const instantText = (millis: unknown): string =>
  millis === undefined || Number.isNaN(Number(millis))
    ? "an unknown time"
    : isoInstant(Number(millis));

const HOUR = 3_600_000;

/** Milliseconds until the first instant that is so long before a full hour. */
const untilHour = (now: number, before: number): number => (((-before - now) % HOUR) + HOUR) % HOUR;

const reset = ({ state, scenarios, server }: ControlContext): void => {
  state.store.reset();
  state.clock.reset();
  server.rates.reset();
  server.faults.clear();
  scenarios.clear();
  server.journal.clear();
};

const snapshotOf = (context: ControlContext): SandboxSnapshot => ({
  format: 1,
  seed: context.state.config.seed,
  clock: readClock(context),
  store: context.state.store.snapshot() as SandboxSnapshot["store"],
  rates: context.server.rates.snapshot(),
  faults: context.server.faults.list(),
});

export const clockHandlers = (context: ControlContext) =>
  HttpApiBuilder.group(ControlApi, "clock", (handlers) =>
    handlers.handleAll({
      read: () => Effect.sync(() => readClock(context)),
      change: ({ payload }) =>
        attempt(() => {
          changeClock(context.state.clock, payload);
          return readClock(context);
        }),
    }),
  );

export const stateHandlers = (context: ControlContext) =>
  HttpApiBuilder.group(ControlApi, "state", (handlers) =>
    handlers.handleAll({
      reset: () =>
        Effect.sync(() => {
          reset(context);
          return readClock(context);
        }),
      snapshot: () => Effect.sync(() => snapshotOf(context)),
      restore: ({ payload }) =>
        attempt(() => {
          restore(context, payload);
          return readClock(context);
        }),
    }),
  );
