/**
 * Turns the errors of the codec into failures of the command, with reason, place and field.
 */
import { TreeLinkError } from "@game-data/tree-link";
import { TreeLinkUrlError } from "@game-data/tree-link/url";
import { Effect } from "effect";
import { type Failure, failure } from "@game-data/terminal/Failure";

/** Runs functions of `tree-link`; other errors are defects. */
export const attempt = <A>(run: () => A): Effect.Effect<A, Failure> =>
  Effect.try({
    try: run,
    catch: (cause) => {
      if (cause instanceof TreeLinkError) {
        const { actual, field, message, offset, reason, unit } = cause;
        return failure("bad-link", `Not a link: ${message}`, {
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
        return failure("bad-link", `Not a link: ${cause.message}`, {
          details: { reason: cause.reason },
        });
      }
      throw cause;
    },
  });

/** Runs a function of `tree-link` that encodes the fields in a user's file. */
export const attemptToWrite = <A>(run: () => A): Effect.Effect<A, Failure> =>
  Effect.mapError(attempt(run), ({ details, message }) =>
    failure("bad-link", message.replace(/^Not a link/u, "No link can be made of this"), {
      ...(details !== undefined && { details }),
      next: "compare the fields with those that this prints of a link: gamedata tree decode LINK --json",
    }),
  );
