/**
 * The members that every error of these packages has, and its form in JSON.
 *
 * An error class implements `Failure` and returns `failureToJson(this)` from `toJSON`, so that logs
 * hold its tag, its fields and its sentence, and never its cause: a cause may hold credentials.
 *
 * @example
 * ```ts
 * import { failureToJson } from "@game-data/contract/failure";
 * import { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
 *
 * const error = new ConfigurationInvalid({
 *   option: "baseUrl",
 *   reason: "must be an HTTPS address",
 * });
 * if (failureToJson(error)["_tag"] !== "ConfigurationInvalid") throw new Error("another error");
 * ```
 */
import type * as Duration from "effect/Duration";

export { helpOf } from "./helpOf.ts";

/** An error of one of these packages. */
export interface Failure extends Error {
  /** Tells the classes apart. No two classes share a tag. */
  readonly _tag: string;
  /** Whether the same call may succeed if retried. */
  readonly isRetryable: boolean;
  /** The address of the error's page: its causes, how to see each, and what mends it. */
  readonly help: string;
  /** The wait before a retry, from the moment of the error. */
  readonly retryAfter?: Duration.Duration | undefined;
  /** The underlying error. It is kept for debuggers and never serialised. */
  readonly cause?: unknown;
}

/** The JSON form of a failure. */
export interface FailureJson {
  readonly _tag: string;
  readonly message: string;
  readonly help: string;
  /** The wait before a retry in milliseconds; absent if the failure names none. */
  readonly retryAfterMillis?: number;
  readonly [field: string]: unknown;
}

/** A field as JSON has it: bytes by their number alone, whatever they hold. */
const jsonOf = (value: unknown): unknown => {
  if (typeof value === "bigint") return String(value);
  return value instanceof Uint8Array ? `${value.length} bytes` : value;
};

/** The fields that were set, without the members of every error. */
export const fieldsOf = (error: object): ReadonlyArray<readonly [name: string, value: unknown]> =>
  Object.entries(error).filter(
    ([name, value]) => value !== undefined && !/^(_tag|name|message|stack|cause)$/.test(name),
  );

/** The failure's tag, own fields, message and `retryAfterMillis`; never its cause. */
export const failureToJson = (failure: Failure): FailureJson => {
  const retryAfterMillis = failure.retryAfter && toMillis(failure.retryAfter);
  return {
    _tag: failure._tag,
    ...Object.fromEntries(
      fieldsOf(failure).flatMap(([name, value]) =>
        name === "retryAfter" ? [] : [[name, jsonOf(value)]],
      ),
    ),
    message: failure.message,
    help: failure.help,
    ...(retryAfterMillis === undefined ? {} : { retryAfterMillis }),
  };
};

/**
 * Milliseconds of a finite duration. It reads the duration's own value, because `effect/Duration`
 * would be a quarter of a small error module.
 */
const toMillis = ({ value }: Duration.Duration): number | undefined => {
  if (value._tag === "Millis") return value.millis;
  return value._tag === "Nanos" ? Number(value.nanos) / 1_000_000 : undefined;
};
