/**
 * The sharing step: identical GETs of one user that are in flight at once take one request.
 *
 * The first call runs and the others wait for its exit. If it is interrupted, one of them runs
 * instead. All of them get the same value, so treat results as read-only.
 */
import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import type { GameApiError } from "../Errors.ts";
import { numberUsers, type Call, type Step } from "./Call.ts";
import { callHook } from "./Instruments.ts";
import type { PipelineOptions } from "./PipelineOptions.ts";

type Outcome = Exit.Exit<unknown, GameApiError>;

interface InFlight {
  readonly call: Call;
  readonly waiting: Set<(outcome: Outcome) => void>;
}

export const share = ({ instruments }: PipelineOptions): Step => {
  const inFlight = new Map<string, InFlight>();
  const numberOf = numberUsers();
  const keyOf = ({ account, request }: Call): string =>
    `${numberOf(account)} ${request.operation} ${request.url}`;

  return (call, next) => {
    if (!isShareable(call)) return next(call);
    const key = keyOf(call);
    const run: Effect.Effect<unknown, GameApiError> = Effect.suspend(() => {
      const leader = inFlight.get(key);
      if (leader === undefined) return lead();
      return Effect.flatMap(outcomeOf(leader), (outcome) => {
        if (Exit.isFailure(outcome) && Cause.hasInterruptsOnly(outcome.cause)) return run;
        return Effect.withFiber((fiber) => {
          const { response } = leader.call;
          if (response) callHook(call.options.onResponse, response, instruments, fiber);
          return outcome;
        });
      });
    });
    const lead = () => {
      const entry: InFlight = { call, waiting: new Set() };
      inFlight.set(key, entry);
      return Effect.onExitPrimitive(next(call), (outcome) => {
        inFlight.delete(key);
        for (const resume of entry.waiting) resume(outcome);
        return undefined;
      });
    };
    return run;
  };
};

const outcomeOf = ({ waiting }: InFlight): Effect.Effect<Outcome> =>
  Effect.callback((resume) => {
    const listener = (outcome: Outcome) => resume(Effect.succeed(outcome));
    waiting.add(listener);
    return Effect.sync(() => waiting.delete(listener));
  });

/** A call with options of its own is sent by itself: they change what may happen to it. */
const isShareable = ({ handler, options, request }: Call): boolean =>
  request.method === "GET" &&
  handler.streams !== true &&
  options.timeout === undefined &&
  options.maxWait === undefined &&
  options.priority === undefined &&
  options.retries === undefined;
