/**
 * The members that every error of these packages has, and its JSON form. Logs hold the tag, fields
 * and message of an error, and never its cause, which may hold credentials.
 */
import * as Duration from "effect/Duration";

export { helpUrl } from "./PlainFailure.ts";

/** Members that every error of the packages has. */
export interface Failure extends Error {
  /** The name of the class. No two classes share a tag. */
  readonly _tag: string;
  /** Whether the same call may succeed if retried. */
  readonly isRetryable: boolean;
  /** The address of the error's causes and fixes. */
  readonly help: string;
  /** The wait before a retry, from the moment of the error. */
  readonly retryAfter?: Duration.Duration | undefined;
  /** The underlying error, for debuggers. It is never serialised. */
  readonly cause?: unknown;
}

/** The JSON form of a failure. */
export interface FailureJson {
  readonly _tag: string;
  readonly message: string;
  readonly help: string;
  /** The wait before a retry in milliseconds; absent if the failure has none. */
  readonly retryAfterMillis?: number;
  readonly [field: string]: unknown;
}

/** Returns the fields that are set, without the members of every error. */
export const fieldsOf = (error: object): ReadonlyArray<readonly [name: string, value: unknown]> =>
  Object.entries(error).filter(
    ([name, value]) => value !== undefined && !/^(_tag|name|message|stack|cause)$/.test(name),
  );

/** Returns the failure's tag, own fields, message and `retryAfterMillis`, and never its cause. */
export const failureToJson = (failure: Failure): FailureJson => {
  const { retryAfter } = failure;
  const fields = fieldsOf(failure).filter(([name]) => name !== "retryAfter");
  return {
    _tag: failure._tag,
    ...Object.fromEntries(fields.map(([name, value]) => [name, toJson(value)])),
    message: failure.message,
    help: failure.help,
    // JSON has no infinity.
    ...(retryAfter === undefined || !Duration.isFinite(retryAfter)
      ? {}
      : { retryAfterMillis: Duration.toMillis(retryAfter) }),
  };
};

/** Bytes become their number, whatever they hold. */
const toJson = (value: unknown): unknown => {
  if (typeof value === "bigint") return String(value);
  return value instanceof Uint8Array ? `${value.length} bytes` : value;
};
