/** The failure of a store, without the driver's text: it may quote the row, secrets included. */
import * as Effect from "effect/Effect";
import { TokenStoreFailed } from "../Errors.ts";

/** The first code (`ECONNREFUSED`, `23505`) in somebody else's error and its causes. */
export const errorCode = (error: unknown): string | undefined => {
  let cause = error as { readonly code?: unknown; readonly cause?: unknown } | null | undefined;
  for (let depth = 0; cause && depth < 9; depth++) {
    const code = String(cause.code);
    if (/^[A-Z0-9][A-Z0-9_]{2,40}$/.test(code)) return code;
    cause = cause.cause as typeof cause;
  }
  return undefined;
};

/** Whatever a store threw as `TokenStoreFailed`; one that is one already as it is. */
export const toStoreFailure = (
  operation: TokenStoreFailed["operation"],
  error: unknown,
): TokenStoreFailed =>
  error instanceof TokenStoreFailed
    ? error
    : new TokenStoreFailed({ operation, reason: errorCode(error) ?? "the store failed" });

/** A call of a store as an Effect. */
export const attempt = <A>(
  operation: TokenStoreFailed["operation"],
  run: () => Promise<A>,
): Effect.Effect<A, TokenStoreFailed> =>
  Effect.tryPromise({ try: run, catch: (error) => toStoreFailure(operation, error) });
