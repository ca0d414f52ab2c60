/**
 * Stops calling a service that keeps failing: after `failures` in a row nothing is sent for
 * `cooldown`, then one request tries.
 *
 * Built on `effect/persistence/CircuitBreaker`, and an entry of its own because that loads Schema.
 *
 * @example
 * ```ts
 * import { makeCircuitBreaker } from "@game-data/api-client/circuit-breaker";
 * import { createGameApi } from "@game-data/api-client/promise";
 *
 * const api = createGameApi({
 *   baseUrl: "https://api.example",
 *   userAgent: { clientId: "price-tool", version: "1.0.0", contact: "me@example.com" },
 *   circuitBreaker: makeCircuitBreaker({ failures: 5, cooldown: "30 seconds" }),
 * });
 * await api.close();
 * ```
 */
import { positiveInteger } from "@game-data/rate-limit/options";
import * as Context from "effect/Context";
import type * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Layer from "effect/Layer";
import * as Breaker from "effect/persistence/CircuitBreaker";
import * as Scope from "effect/Scope";
import { TransportError } from "./Errors.ts";
import type { GameApiError } from "./Errors.ts";
import { checkExtra, duration } from "./operations/expected.ts";
import { callInfo } from "./pipeline/Call.ts";
import type { Step } from "./pipeline/Call.ts";

/**
 * A circuit breaker for `GameApiOptions.circuitBreaker`. Clients that share one share its state.
 */
export interface CircuitBreaker {
  /** Runs an attempt of a call, unless the circuit is open. For the client. */
  readonly step: Step;
}

/** Options of a circuit breaker. */
export interface CircuitBreakerOptions {
  /** Failures in a row that open it: server errors, timeouts and broken connections. */
  readonly failures: number;
  /** The time without requests. */
  readonly cooldown: Duration.Input;
}

/** Makes a circuit breaker. Throws `ConfigurationInvalid` for an option that cannot work. */
export const makeCircuitBreaker = (options: CircuitBreakerOptions): CircuitBreaker => {
  checkExtra(options, { failures: positiveInteger, cooldown: duration });
  const { cooldown, failures } = options;
  const tripPolicy = Breaker.consecutive(failures);
  const layer = Layer.provide(
    Breaker.layer({ tripPolicy, openDuration: cooldown }),
    Breaker.layerStoreMemory(),
  );
  // The breaker holds no resource that would have to be released.
  const context = Effect.runSync(Layer.buildWithScope(Layer.fresh(layer), Scope.makeUnsafe()));
  const breaker = Context.get(context, Breaker.CircuitBreaker);
  return {
    step: (call, attempt) =>
      breaker
        .execute(attempt, {
          key: "service",
          classify: (exit: Exit.Exit<unknown, GameApiError>) => {
            if (!call.attempt.sent) return Breaker.ignored;
            const error = Exit.findErrorOption(exit);
            if (error._tag === "None") return Breaker.success;
            return isOutage(error.value) ? Breaker.failure() : Breaker.success;
          },
        })
        .pipe(
          Effect.catchTag("CircuitBreakerError", (cause) =>
            Effect.fail(
              new TransportError({
                ...callInfo(call),
                kind: "circuit-open",
                ...("retryAfter" in cause.reason && { retryAfter: cause.reason.retryAfter }),
                cause,
              }),
            ),
          ),
        ),
  };
};

const isOutage = ({ _tag }: GameApiError) =>
  _tag === "ServerError" || _tag === "Timeout" || _tag === "TransportError";
