/**
 * Converts the errors of `tree-link` to failures with the rule, the offset and the field.
 */
import { TreeLinkError } from "@game-data/tree-link";
import { explain } from "@game-data/tree-link/text";
import { TreeLinkUrlError } from "@game-data/tree-link/url";
import { Effect } from "effect";
import { type Failure, failure } from "@game-data/terminal/Failure";

/** Calls a function of `tree-link`. Other errors are defects. */
export const attempt = <A>(run: () => A): Effect.Effect<A, Failure> =>
  Effect.try({
    try: run,
    catch: (cause) => {
      if (cause instanceof TreeLinkError) {
        const { actual, field, offset, reason, unit } = cause;
        const place = reason === "invalid-type" ? "" : ` At ${unit} ${offset}.`;
        return failure("bad-link", `Invalid link: ${explain(cause)}${place}`, {
          details: {
            reason,
            offset,
            unit,
            ...(field === undefined ? {} : { field }),
            ...(actual === undefined ? {} : { actual }),
          },
        });
      }
      if (cause instanceof TreeLinkUrlError) {
        return failure("bad-link", `Invalid link: ${cause.message}`, {
          details: { reason: cause.reason },
        });
      }
      throw cause;
    },
  });

/** Calls a function of `tree-link` that encodes fields; an error is one of the fields. */
export const attemptToEncode = <A>(run: () => A): Effect.Effect<A, Failure> =>
  Effect.mapError(attempt(run), ({ details, message }) =>
    failure("bad-link", message.replace(/^Invalid link/u, "Cannot encode a link"), {
      ...(details !== undefined && { details }),
      next: "see the fields of a link with: gamedata tree decode LINK --json",
    }),
  );
