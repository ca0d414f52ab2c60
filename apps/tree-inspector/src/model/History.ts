/** Undo and redo for the texts of the page. */

/** The texts of the page, oldest first, and the index of the shown text. */
export interface History {
  readonly states: ReadonlyArray<string>;
  readonly at: number;
  /** Whether the last change was typing. Further typing then replaces its text. */
  readonly isTyping: boolean;
}

const MAX_STEPS = 200;

export const begin = (state: string): History => ({ states: [state], at: 0, isTyping: false });

/** Adds a text, and drops the texts that were undone. Consecutive typing is one step. */
export const record = (history: History, state: string, isTyping = false): History => {
  const { at, states } = history;
  const kept = states.slice(0, isTyping && history.isTyping ? at : at + 1).slice(-MAX_STEPS);
  return { states: [...kept, state], at: kept.length, isTyping };
};

/** Moves by a number of steps, back if it is negative. Stays at the first or last text. */
export const step = (history: History, steps: number): History => {
  const at = history.at + steps;
  return { ...history, at: at in history.states ? at : history.at, isTyping: false };
};
