/** Undo and redo: the texts of the page in the order in which they were made. */

/** All states, and which of them the page shows. */
export interface History {
  readonly states: ReadonlyArray<string>;
  readonly at: number;
  /** Whether the last change was typing, which further typing replaces. */
  readonly isTyping: boolean;
}

const MAX_STEPS = 200;

/** Starts a history. */
export const begin = (state: string): History => ({ states: [state], at: 0, isTyping: false });

/** Adds a state behind the current one. A run of typing is one step. */
export const record = (history: History, state: string, isTyping = false): History => {
  const { at, states } = history;
  const kept = states.slice(0, isTyping && history.isTyping ? at : at + 1).slice(-MAX_STEPS);
  return { states: [...kept, state], at: kept.length, isTyping };
};

/** Goes that many steps on, or back; stays where there is no such state. */
export const step = (history: History, steps: number): History => {
  const at = history.at + steps;
  return { ...history, at: at in history.states ? at : history.at, isTyping: false };
};
