/** The failure of a store, without the driver's text: it may quote the row, secrets included. */
import * as Effect from "effect/Effect";
import { TokenStoreFailed } from "../Errors.ts";
import { errorCode } from "./errorCode.ts";

/** Whatever a store threw as `TokenStoreFailed`; one that is one already as it is. */
export const toStoreFailure = (
  operation: TokenStoreFailed["operation"],
  error: unknown,
): TokenStoreFailed =>
  error instanceof TokenStoreFailed
    ? error
    : new TokenStoreFailed({ operation, reason: errorCode(error) });

/** A call of a store as an Effect. */
export const attempt = <A>(
  operation: TokenStoreFailed["operation"],
  run: () => Promise<A>,
): Effect.Effect<A, TokenStoreFailed> =>
  Effect.tryPromise({ try: run, catch: (error) => toStoreFailure(operation, error) });
