/** Undo and redo: the texts of the page, oldest first. */

/** All states, and the index of the state that the page shows. */
export interface History {
  readonly states: ReadonlyArray<string>;
  readonly at: number;
  /** Whether the last change was typing, which further typing replaces. */
  readonly isTyping: boolean;
}

const MAX_STEPS = 200;

export const begin = (state: string): History => ({ states: [state], at: 0, isTyping: false });

/** Adds a state, and drops the states that were undone. Consecutive states of typing are one step. */
export const record = (history: History, state: string, isTyping = false): History => {
  const { at, states } = history;
  const kept = states.slice(0, isTyping && history.isTyping ? at : at + 1).slice(-MAX_STEPS);
  return { states: [...kept, state], at: kept.length, isTyping };
};

/** Moves by a number of steps, back if it is negative. Stays if there is no such state. */
export const step = (history: History, steps: number): History => {
  const at = history.at + steps;
  return { ...history, at: at in history.states ? at : history.at, isTyping: false };
};
