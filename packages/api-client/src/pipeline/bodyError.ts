/** The error of a body that could not be read. */
import { InflateError } from "@game-data/contract/inflate";
import { type CallInfo, ResponseMalformed, TransportError } from "../Errors.ts";
import { describeCause } from "../Transport.ts";

/** `too-large` if the body exceeds `limit`, else a broken connection. */
export const bodyError = (
  facts: CallInfo,
  limit: number,
  cause: unknown,
): ResponseMalformed | TransportError => {
  if (cause instanceof ResponseMalformed || cause instanceof TransportError) return cause;
  return cause instanceof InflateError && cause.kind === "too-large"
    ? tooLarge(facts, limit)
    : new TransportError({ ...facts, kind: "body", detail: describeCause(cause), cause });
};

/** The error of a body that exceeds `limit`, or says that it will. */
export const tooLarge = (facts: CallInfo, limit: number, announced?: number) =>
  new ResponseMalformed({
    ...facts,
    kind: "too-large",
    issue: `the body ${announced === undefined ? "is" : `announces ${announced} bytes,`} larger than the ${limit} bytes allowed`,
  });
