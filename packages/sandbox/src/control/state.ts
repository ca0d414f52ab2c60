/** Changes the clock of a sandbox, and resets, saves and restores its state. */
import type { VirtualClock } from "../clock/VirtualClock.ts";
import {
  isInClock,
  isoInstant,
  OUT_OF_CLOCK,
  parseDuration,
  parseInstant,
} from "../internal/instants.ts";
import { WORLD_SIZES, WORLD_START } from "../State.ts";
import { HOUR } from "../world/Leagues.ts";
import { formatSizes } from "../world/Sizes.ts";
import type { ClockChange, ClockReading, SandboxSnapshot } from "./documents.ts";
import { checkRule } from "./names.ts";
import { type ControlContext, rejected } from "./respond.ts";

export const readClock = (clock: VirtualClock): ClockReading => ({
  now: isoInstant(clock.now()),
  frozen: clock.state.frozen,
});

export const changeClock = (clock: VirtualClock, change: ClockChange): ClockReading => {
  const { advance, beforeHour, set } = change;
  const instant = parseInstant(set ?? "");
  const duration = parseDuration(advance ?? "");
  if (!isInClock((instant ?? clock.now()) + (duration ?? 0)))
    rejected(OUT_OF_CLOCK, advance === undefined ? "/set" : "/advance");
  if (change.reset === true) clock.reset();
  // Freeze first, so that the other changes are exact to the millisecond.
  if (change.freeze === true) clock.freeze();
  if (instant !== undefined) clock.set(instant);
  if (duration !== undefined) clock.advance(duration);
  if (beforeHour !== undefined) clock.advance(untilHour(clock.now() + parseDuration(beforeHour)!));
  if (change.unfreeze === true) clock.resume();
  return readClock(clock);
};

const untilHour = (instant: number): number => ((-instant % HOUR) + HOUR) % HOUR;

export const reset = ({ state, server }: ControlContext): ClockReading => {
  state.store.reset();
  state.clock.reset();
  server.rates.reset();
  server.faults.clear();
  server.journal.clear();
  return readClock(state.clock);
};

export const snapshot = ({ state, server }: ControlContext): SandboxSnapshot => ({
  format: 1,
  seed: state.config.seed,
  clock: readClock(state.clock),
  store: state.store.snapshot(),
  rates: server.rates.snapshot(),
  faults: server.faults.list(),
});

export const restore = (context: ControlContext, given: SandboxSnapshot): ClockReading => {
  const { clock, store } = context.state;
  const { faults, rates } = context.server;
  checkSnapshot(context, given);
  const before = rates.snapshot();
  rates.restore(given.rates as Parameters<typeof rates.restore>[0]);
  try {
    store.restore(given.store);
  } catch (cause) {
    rates.restore(before);
    rejected(`the rows do not fit: ${String(cause)}`, "/store/tables");
  }
  faults.restore(given.faults);
  clock.resume();
  clock.set(parseInstant(given.clock.now)!);
  if (given.clock.frozen) clock.freeze();
  return readClock(clock);
};

/** Refuses a snapshot of another world: another seed, start or size. */
const checkSnapshot = ({ state }: ControlContext, given: SandboxSnapshot): void => {
  const { seed, world } = state.config;
  if (given.seed !== seed)
    rejected(`the snapshot is of seed ${given.seed}, this sandbox has seed ${seed}`, "/seed");
  const settingOf = (name: string) =>
    given.store.tables["meta"]?.find(({ key }) => key === name)?.["value"];
  const [theirs, ours] = [Number(settingOf(WORLD_START)), state.worldStart];
  if (theirs !== ours) {
    const start = Number.isNaN(theirs) ? "an unknown time" : isoInstant(theirs);
    rejected(
      `the snapshot's world started at ${start}, this one at ${isoInstant(ours)}`,
      "/store/tables/meta",
    );
  }
  if (settingOf(WORLD_SIZES) !== formatSizes(world))
    rejected("the snapshot is of a world of other sizes", "/store/tables/meta");
  for (const [index, { rule }] of given.faults.entries())
    checkRule(state, rule, `/faults/${index}/rule`);
};
