/**
 * Metrics and health over HTTP.
 *
 * ```ts
 * import { Effect } from "effect";
 * import { HealthServer } from "@game-data/stream-follower/health";
 *
 * const program = Effect.gen(function* () {
 *   const url = yield* HealthServer.serve();
 *   return yield* Effect.promise(() => fetch(`${url}/health/ready`));
 * });
 * const { status } = await Effect.runPromise(Effect.scoped(program));
 * if (status !== 503) throw new Error("no stream is followed yet");
 * ```
 */
export * as HealthServer from "./HealthServer.ts";
