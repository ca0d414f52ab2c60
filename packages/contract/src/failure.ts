/**
 * The members that every error of the Game Data packages has, and the JSON form of an error. Logs
 * hold the tag, fields and message of an error, and never its cause, which may hold credentials.
 */
import * as Duration from "effect/Duration";

export { helpUrl } from "./PlainFailure.ts";

/** Members that every error of the Game Data packages has. */
export interface Failure extends Error {
  /** The name of the class. No two classes share a tag. */
  readonly _tag: string;
  /** Whether the same call may succeed if retried. */
  readonly isRetryable: boolean;
  /** URL of the documentation of the error's causes and fixes. */
  readonly help: string;
  /** The wait before a retry, from the moment of the error. */
  readonly retryAfter?: Duration.Duration | undefined;
  /** The underlying error, for debuggers. It is never serialised. */
  readonly cause?: unknown;
}

/** A failure as JSON, with the failure's own fields beside these members. */
export interface FailureJson {
  readonly _tag: string;
  readonly message: string;
  readonly help: string;
  /** Milliseconds to wait before a retry. Absent if the failure states no finite wait. */
  readonly retryAfterMillis?: number;
  readonly [field: string]: unknown;
}

/** Returns the fields that are set, except `_tag`, `name`, `message`, `stack` and `cause`. */
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
    // Omits an infinite wait, because JSON has no infinity.
    ...(retryAfter === undefined || !Duration.isFinite(retryAfter)
      ? {}
      : { retryAfterMillis: Duration.toMillis(retryAfter) }),
  };
};

/** Converts a field to JSON. Bytes become their count, because they may contain secrets. */
const toJson = (value: unknown): unknown => {
  if (typeof value === "bigint") return String(value);
  return value instanceof Uint8Array ? `${value.length} bytes` : value;
};
