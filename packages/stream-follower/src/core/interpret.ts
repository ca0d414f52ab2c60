/**
 * Runs the state machine: looks up the cell of an event, moves to its state, runs its action, and
 * goes on with the event that the action ends with, until a page is delivered or the stream ends.
 *
 * The actions are the stream's; which one runs is the table's decision alone
 * (`test/Interpret.test.ts` swaps each cell's action and expects another outcome).
 */
import * as Effect from "effect/Effect";
import type { FollowError } from "../Errors.ts";
import type { Page } from "../Model.ts";
import type { Action, Cell, EventName, StateName } from "./StateMachine.ts";

/** Result of an action: the next event, a page for the consumer, or the end of the stream. */
type Outcome = { readonly event: EventName } | { readonly page: Page } | { readonly done: true };

/** An effect for every action of the table. */
export type Actions = Readonly<Record<Action, Effect.Effect<Outcome, FollowError>>>;

/** The whole machine. */
export type Table = Readonly<Record<StateName, Readonly<Record<EventName, Cell>>>>;

/** Runs from an event to the next page; `undefined` at the end of the stream. */
export const interpret = Effect.fnUntraced(function* (
  table: Table,
  actions: Actions,
  current: { state: StateName },
  first: EventName,
): Effect.fn.Return<Page | undefined, FollowError> {
  let event = first;
  while (true) {
    const cell = table[current.state][event];
    if ("impossible" in cell) {
      const defect = `${event} in ${current.state} is impossible: ${cell.impossible}`;
      return yield* Effect.die(new Error(defect));
    }
    current.state = cell.to;
    const outcome = yield* actions[cell.action];
    if ("event" in outcome) event = outcome.event;
    else return "page" in outcome ? outcome.page : undefined;
  }
});
