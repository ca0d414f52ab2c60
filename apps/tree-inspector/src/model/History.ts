/** Undo and redo: states of the page in the order in which they were made. */
import type { PageState } from "./Fragment.ts";

/** The current state, with those before and after it. */
export interface History {
  readonly past: ReadonlyArray<PageState>;
  readonly now: PageState;
  readonly future: ReadonlyArray<PageState>;
  /** Whether the last change was typing, which further typing replaces. */
  readonly isTyping: boolean;
}

const MAX_STEPS = 200;

/** Starts a history. */
export const begin = (now: PageState): History => ({ past: [], now, future: [], isTyping: false });

/** Adds a state. A run of typing is one step. */
export const record = (history: History, now: PageState, isTyping = false): History => ({
  past:
    isTyping && history.isTyping ? history.past : [...history.past, history.now].slice(-MAX_STEPS),
  now,
  future: [],
  isTyping,
});

/** Goes one step back. */
export const undo = ({ future, now, past }: History): History => {
  const before = past.at(-1);
  return before === undefined
    ? { past, now, future, isTyping: false }
    : { past: past.slice(0, -1), now: before, future: [now, ...future], isTyping: false };
};

/** Goes one step forward. */
export const redo = ({ future, now, past }: History): History => {
  const [after, ...rest] = future;
  return after === undefined
    ? { past, now, future, isTyping: false }
    : { past: [...past, now], now: after, future: rest, isTyping: false };
};
