/**
 * Passive-tree links in programs at a prompt: what the codec throws becomes a failure with the rule, the place and the field.
 */
import { TreeLinkError } from "@game-data/tree-link";
import { TreeLinkUrlError } from "@game-data/tree-link/url";
import { Effect } from "effect";
import { type Failure, failure } from "./Failure.ts";

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
