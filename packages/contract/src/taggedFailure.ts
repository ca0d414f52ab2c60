/** Makes the error classes of the packages that run on Effect. */
import type * as Cause from "effect/Cause";
import * as Data from "effect/Data";
import type * as Types from "effect/Types";
import { type Failure, type FailureJson, failureToJson } from "./failure.ts";
import { helpOf } from "./helpOf.ts";

/** An error class; its fields are given where it is extended. */
export type TaggedFailure<Tag extends string> = new <Fields extends object = {}>(
  fields: Types.VoidIfEmpty<Readonly<Fields>>,
) => { readonly _tag: Tag; toJSON(): FailureJson } & Cause.YieldableError &
  Omit<Failure, "_tag"> &
  Readonly<Fields>;

/**
 * Makes an error class with the members of `Failure`. `isRetryable` says whether the same call may
 * succeed if retried; a class whose fields decide that overrides it.
 *
 * @example
 * ```ts
 * import { taggedFailure } from "@game-data/contract/taggedFailure";
 *
 * class Closed extends taggedFailure("Closed", true)<{ readonly by: string }> {
 *   override get message(): string {
 *     return `Closed by ${this.by}.`;
 *   }
 * }
 * const { help, isRetryable } = new Closed({ by: "the user" });
 * if (!isRetryable || !help.endsWith("/errors/closed/")) throw new Error("another class");
 * ```
 */
export const taggedFailure = <Tag extends string>(
  tag: Tag,
  isRetryable = false,
): TaggedFailure<Tag> =>
  class extends Data.TaggedError(tag)<Record<string, unknown>> {
    get isRetryable(): boolean {
      return isRetryable;
    }
    get help(): string {
      return helpOf(tag);
    }
    override toJSON(): FailureJson {
      return failureToJson(this);
    }
  } as unknown as TaggedFailure<Tag>;
