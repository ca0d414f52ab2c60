/**
 * The planner alone, for programs with a queue of their own: pure functions over plain data,
 * without
 * a dependency. The caller brings the time and sends the requests.
 *
 * ```ts
 * import { defaultOptions, newState, settle, tryAcquire } from "@game-data/rate-limit/core";
 *
 * const state = newState();
 * const ask = { id: "1", route: "GET /users", identity: "default", counted: true };
 * const answer = tryAcquire(state, ask, performance.now(), defaultOptions);
 * if ("until" in answer) throw new Error(`wait until ${answer.until}`);
 * settle(state, answer, { status: 200, info: undefined }, performance.now(), defaultOptions);
 * ```
 *
 * @packageDocumentation
 */
export { settle } from "./learn.ts";
export type { Response } from "./learn.ts";
export { cancel, tryAcquire } from "./plan.ts";
export type { Wait } from "./plan.ts";
export { defaultOptions, newState } from "./State.ts";
export type { Ask, CoreOptions, Grant, State } from "./State.ts";
