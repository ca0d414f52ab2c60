/** A callback that passed every check, and its single exchange. */
import type * as Redacted from "effect/Redacted";
import type { PendingAuthorization } from "../PendingAuthorization.ts";

declare const Validated: unique symbol;

/** A callback that `PkceFlow.validateCallback` has checked. */
export interface ValidatedCallback {
  readonly [Validated]: true;
  readonly code: Redacted.Redacted;
  readonly pending: PendingAuthorization;
  readonly validatedAt: number;
}

const unused = /*#__PURE__*/ new WeakSet<ValidatedCallback>();

/** Grants each validated callback one exchange. Copies are refused, because they are not listed. */
export const consumeOnce = {
  /** Permits one exchange, also after one that certainly sent nothing. */
  permit: (callback: ValidatedCallback): void => void unused.add(callback),
  /** Whether the exchange is still permitted; ends the permission. */
  take: (callback: ValidatedCallback): boolean => unused.delete(callback),
};
