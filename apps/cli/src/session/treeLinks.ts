/**
 * Passive-tree links in programs at a prompt: what the codec throws becomes a failure with the
 * rule, the place and the field.
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
        const { field, message, offset, reason, unit } = cause;
        return failure("bad-link", `Not a link: ${message.replace(/^link: /u, "")}.`, {
          details: { reason, offset, unit, ...(field === undefined ? {} : { field }) },
        });
      }
      if (cause instanceof TreeLinkUrlError) {
        return failure("bad-link", `Not a link: ${cause.message}.`, {
          details: { reason: cause.reason },
        });
      }
      throw cause;
    },
  });

/**
 * Runs a function of `tree-link` that makes a link of somebody's fields: what is wrong is the
 * fields.
 */
export const attemptToWrite = <A>(run: () => A): Effect.Effect<A, Failure> =>
  Effect.mapError(attempt(run), ({ details, message }) =>
    failure("bad-link", message.replace(/^Not a link/u, "No link can be made of this"), {
      ...(details !== undefined && { details }),
      next: "compare the fields with those that this prints of a link: gamedata tree decode LINK --json",
    }),
  );
