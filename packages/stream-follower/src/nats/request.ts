/** Sends requests to a NATS broker with a deadline, and retries them while waiting may help. */
import { JetStreamApiError } from "@nats-io/jetstream";
import * as Effect from "effect/Effect";
import { untilAvailable } from "../attempt.ts";
import { SinkError } from "../Errors.ts";
import type { StreamKey } from "../Model.ts";

/** Returns JetStream's number of an error, because its texts change between versions. */
export const errorCode = (cause: unknown): number | undefined =>
  cause instanceof JetStreamApiError ? cause.code : undefined;

/** Sends a request, and records its attempts as the part `broker` of the stream's status. */
export const request = <A>(
  key: StreamKey,
  operation: string,
  body: () => Promise<A>,
): Effect.Effect<A, SinkError> =>
  Effect.tryPromise({ try: body, catch: (cause) => brokerError(operation, cause) }).pipe(
    untilAvailable(key, "broker", { operation, duration: "20 seconds" }),
  );

/**
 * Maps an error of the NATS client or server to a `SinkError`. Its `reason` says whether a retry
 * can help.
 */
export const brokerError = (operation: string, cause: unknown): SinkError => {
  const code = errorCode(cause);
  const { name } = cause as Error;
  const reason =
    code !== undefined && NO_SPACE.has(code)
      ? "diskFull"
      : PERMANENT.has(name) || (code !== undefined && !ELECTING.has(code))
        ? "internal"
        : "unavailable";
  return new SinkError({ operation, reason, cause });
};

/** Error numbers: insufficient resources or storage, or the limit of an account. */
const NO_SPACE = new Set([10_002, 10_023, 10_028, 10_047]);

/** Error numbers: no suitable peers, no cluster leader, or a stream that is offline. */
const ELECTING = new Set([10_005, 10_008, 10_009, 10_118]);

const PERMANENT = new Set([
  "AuthorizationError",
  "ClosedConnectionError",
  "InvalidArgumentError",
  "PermissionViolationError",
  "TypeError",
  "UserAuthenticationExpiredError",
]);
