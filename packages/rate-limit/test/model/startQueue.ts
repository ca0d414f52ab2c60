/** A queue in virtual time, and what becomes of its requests. */
import { Queue } from "../../src/core/Queue.ts";
import type { Grant } from "../../src/core/State.ts";
import { queueOptions } from "../../src/limiterOptions.ts";
import type { LimiterOptions } from "../../src/limiterOptions.ts";
import type { NotSentDetails } from "../../src/RequestNotSentError.ts";
import { virtualClock } from "./queueTrace.ts";

/** `call` submits a request and returns what takes it out again; `answer` is given its grant. */
export const startQueue = (options: LimiterOptions = {}) => {
  const { clock, pass } = virtualClock();
  const queue = new Queue(queueOptions(options), clock);
  const granted: Array<Grant> = [];
  const refused: Array<NotSentDetails> = [];
  const failed: Array<unknown> = [];
  const call = (route = "GET /a", maxWait?: number, answer?: (grant: Grant) => void) =>
    queue.submit(
      { route, maxWait },
      {
        granted: (_, grant) => {
          granted.push(grant);
          answer?.(grant);
        },
        refused: (details) => refused.push(details),
        failed: (cause) => failed.push(cause),
      },
    );
  return { call, clock, failed, granted, pass, queue, refused };
};
