/**
 * The way of every call, from its parameters to its value: the steps in order.
 *
 * A step gets the call and the rest of the pipeline. Steps that an option switches off are left
 * out, so that a call pays for what the client uses.
 */
import * as Effect from "effect/Effect";
import type { CallOptions } from "../CallOptions.ts";
import { InvalidRequest } from "../Errors.ts";
import type { GameApiError } from "../Errors.ts";
import { callOptionProblem } from "../operations/checkOptions.ts";
import { auth } from "./auth.ts";
import { bound } from "./bound.ts";
import type { Account, Call, Next, PreparedRequest, ResponseHandler, Step } from "./Call.ts";
import { limit, probe } from "./limit.ts";
import type { PipelineOptions } from "./PipelineOptions.ts";
import { retry } from "./retry.ts";
import { send } from "./send.ts";
import { share } from "./share.ts";
import { toMillis } from "./time.ts";

/** Runs calls. */
export interface Pipeline {
  readonly run: (
    request: PreparedRequest,
    handler: ResponseHandler,
    account: Account,
    options: CallOptions,
  ) => Effect.Effect<unknown, GameApiError>;
}

/** Makes the pipeline of a client. */
export const makePipeline = (options: PipelineOptions): Pipeline => {
  const { cache, circuitBreaker } = options;
  const steps: ReadonlyArray<Step> = [
    bound(options),
    ...(options.dedupe ? [share(options)] : []),
    ...(cache === undefined ? [] : [cache.step]),
    retry(options),
    auth,
    ...(options.probe ? [probe(options)] : []),
    ...(circuitBreaker === undefined ? [] : [circuitBreaker.step]),
    limit(options),
  ];
  const first = steps.reduceRight<Next>((next, step) => (call) => step(call, next), send(options));
  return {
    run: (request, handler, account, callOptions) =>
      Effect.suspend(() => {
        const detail = callOptionProblem(callOptions);
        if (detail === undefined)
          return first(newCall(options, request, handler, account, callOptions));
        const { operation, route } = request;
        return Effect.fail(new InvalidRequest({ operation, route, attempts: 0, detail }));
      }),
  };
};

const newCall = (
  { maxWait }: PipelineOptions,
  request: PreparedRequest,
  handler: ResponseHandler,
  account: Account,
  options: CallOptions,
): Call => ({
  request,
  handler,
  account,
  options,
  maxWait: toMillis(options.maxWait, maxWait),
  attempts: 0,
  waitedMillis: 0,
  policy: undefined,
  token: undefined,
  isRenewed: false,
  attempt: { sent: false, status: undefined },
  response: undefined,
  incoming: undefined,
});
