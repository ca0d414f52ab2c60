/**
 * Delays each request until the service's rate limits permit it. For programs without Effect.
 *
 * Limits are learned from response headers and never configured. One limiter serves all routes and
 * users of one service: keep it, it holds what was learned.
 *
 * ```ts
 * import { createLimiter } from "@game-data/rate-limit";
 *
 * const limiter = createLimiter();
 * const response = await limiter.run({ route: "GET /users/{id}" }, async () => new Response("{}"));
 * if (response.status !== 200) throw new Error("not reached");
 * ```
 */
import { processClock } from "./core/Alarm.ts";
import { Queue } from "./core/Queue.ts";
import type { Grant } from "./core/State.ts";
import { checkRequest, queueOptions } from "./limiterOptions.ts";
import type { LimiterOptions, LimiterRequest } from "./limiterOptions.ts";
import type { Permit, RequestOutcome } from "./Model.ts";
import { callback, checkOption } from "./options.ts";
import { outcomeOf } from "./outcomeOf.ts";
import { RequestNotSentError } from "./RequestNotSentError.ts";
import type { NotSentDetails } from "./RequestNotSentError.ts";

/** A request of `run`. */
export interface ReportedRequest<A> extends LimiterRequest {
  /** Gives the outcome; by default `status` and `headers` of the result are read. */
  readonly report?: ((result: A) => RequestOutcome) | undefined;
}

/** Permission to send one request; `settle` tells its outcome, once. */
export interface Lease {
  readonly permit: Permit;
  readonly settle: (outcome: RequestOutcome) => Promise<void>;
}

/** The limiter. */
export interface Limiter {
  /**
   * Runs `send` when the request's turn has come, and reads `status` and `headers` of the result.
   * `report` overrides what is read. The body is left alone. Of an error its `response` is read.
   */
  readonly run: <A>(
    request: ReportedRequest<A>,
    send: (permit: Permit) => Promise<A> | A,
  ) => Promise<A>;
  /** The two halves of `run`, for adapters. */
  readonly acquire: (request: LimiterRequest) => Promise<Lease>;
  /** Number of requests that wait. */
  readonly waiting: () => number;
  /** Grants nothing until `resume`. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** Rejects all that wait with `RequestNotSentError` of kind `cleared`. */
  readonly clear: () => void;
  /** Resolves when nothing waits and nothing is in flight. */
  readonly onIdle: () => Promise<void>;
  /**
   * Rejects all that wait, and all that comes later, with kind `closed`; writes what is not written
   * yet. Requests in flight end as they do.
   */
  readonly close: () => Promise<void>;
  /** The state that the functions of `./inspect` read. */
  readonly queue: Queue;
}

/** Makes a limiter. Throws `ConfigurationInvalidError`. */
export const createLimiter = (options: LimiterOptions = {}): Limiter => {
  const queue = new Queue(queueOptions(options), processClock);
  return {
    acquire: (request) => acquire(queue, request, "acquire"),
    run: (request, send) => run(queue, request, send),
    waiting: () => queue.waiting(),
    pause: () => queue.pause(),
    resume: () => queue.resume(),
    clear: () => queue.clear(),
    onIdle: () => queue.idle(),
    close: () => queue.close(),
    queue,
  };
};

const acquire = (queue: Queue, asked: LimiterRequest, method: "acquire" | "run"): Promise<Lease> =>
  new Promise((resolve, reject) => {
    checkRequest(asked, method);
    const { signal } = asked;
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    let leave: (() => void) | undefined;
    const abort = (): void => {
      leave?.();
      reject(signal?.reason);
    };
    const end =
      <A extends ReadonlyArray<unknown>>(settle: (...args: A) => void) =>
      (...args: A): void => {
        signal?.removeEventListener("abort", abort);
        settle(...args);
      };
    // Before a grant that comes at once, which takes it away.
    signal?.addEventListener("abort", abort, { once: true });
    leave = queue.submit(asked, {
      granted: end((permit: Permit, grant: Grant) => resolve(leaseOf(queue, permit, grant))),
      refused: end((details: NotSentDetails) => reject(new RequestNotSentError(details))),
      failed: end(reject),
    });
  });

const leaseOf = (queue: Queue, permit: Permit, grant: Grant): Lease => {
  let isSettled = false;
  return {
    permit,
    settle: async (outcome) => {
      if (isSettled) return;
      isSettled = true;
      await queue.settle(grant, outcome);
    },
  };
};

const run = async <A>(
  queue: Queue,
  asked: ReportedRequest<A>,
  send: (permit: Permit) => Promise<A> | A,
): Promise<A> => {
  const report = asked?.report;
  checkOption("report", report, callback);
  checkOption("send", send ?? null, callback);
  const { permit, settle } = await acquire(queue, asked, "run");
  let outcome: RequestOutcome = { status: undefined };
  try {
    const result = await send(permit);
    outcome = report ? queue.reported(() => report(result)) : outcomeOf(result);
    return result;
  } catch (error) {
    // ky, got, octokit and axios throw for 4xx and 5xx.
    outcome = outcomeOf((error as { response?: unknown } | undefined)?.response);
    throw error;
  } finally {
    // A response is returned even if the store cannot record it.
    await settle(outcome).catch(() => undefined);
  }
};
