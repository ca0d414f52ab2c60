/** Makes error classes of `Data.TaggedError` with the members of `Failure`. */
import type * as Cause from "effect/Cause";
import * as Data from "effect/Data";
import type * as Types from "effect/Types";
import { type Failure, type FailureJson, failureToJson, helpUrl } from "./failure.ts";

/** Base class of an error. The type parameter lists the fields of the class that extends it. */
export type TaggedFailure<Tag extends string> = new <Fields extends object = {}>(
  fields: Types.VoidIfEmpty<Readonly<Fields>>,
) => { readonly _tag: Tag; toJSON(): FailureJson } & Cause.YieldableError &
  Omit<Failure, "_tag"> &
  Readonly<Fields>;

/**
 * Returns a function that makes the error classes of a package.
 *
 * `isRetryable` states whether the same call may succeed if retried. It may be a function of the
 * error.
 */
export const taggedFailures =
  (packageName: string) =>
  <Tag extends string>(
    tag: Tag,
    isRetryable: boolean | ((error: any) => boolean) = false,
  ): TaggedFailure<Tag> =>
    class extends Data.TaggedError(tag)<Record<string, unknown>> {
      get isRetryable(): boolean {
        return typeof isRetryable === "function" ? isRetryable(this) : isRetryable;
      }
      get help(): string {
        return helpUrl(packageName, tag);
      }
      override toJSON(): FailureJson {
        return failureToJson(this);
      }
    } as unknown as TaggedFailure<Tag>;
