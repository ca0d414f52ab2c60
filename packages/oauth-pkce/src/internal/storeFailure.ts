/** The failure of a store, without the driver's text: it may quote the row, secrets included. */
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
