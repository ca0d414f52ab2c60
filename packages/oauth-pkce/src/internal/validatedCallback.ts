/** A callback that passed every check, and the one exchange that it is good for. */
import type * as Redacted from "effect/Redacted";
import type { Flow } from "../Flow.ts";

declare const Validated: unique symbol;

/**
 * Made by `PkceFlow.validateCallback` only: look-alikes and copies are refused, because nobody has
 * listed them.
 */
export interface ValidatedCallback {
  readonly [Validated]: true;
  readonly code: Redacted.Redacted;
  readonly flow: Flow;
  readonly validatedAt: number;
}

/** The callbacks that nobody has exchanged yet. */
export const unspent = /*#__PURE__*/ new WeakSet<ValidatedCallback>();
