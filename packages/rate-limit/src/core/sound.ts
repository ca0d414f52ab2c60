/**
 * What comes from outside (stores, dialects, callbacks) may throw, hang, or answer nonsense. These
 * functions bound the harm: a failure is a rejection, silence ends, and nonsense is left out.
 */
import { isObject, NEVER } from "./basics.ts";
import type { RequestOutcome } from "../Model.ts";
import type { RateLimitDialect, RateLimitInfo, RateLimitWindow } from "../RateLimitDialect.ts";
import { StoreError } from "../RequestNotSentError.ts";
import type { Backend, Clock } from "../Store.ts";

/** The result of a callback, or what `instead` says if it throws. A late rejection harms nobody. */
export const attempt = <A>(act: () => A, instead: (cause: unknown) => A): A => {
  try {
    const result = act();
    if (result instanceof Promise) result.catch(instead);
    return result;
  } catch (cause) {
    return instead(cause);
  }
};

/** The result of a store's function; what it throws becomes a rejection. */
export const started = <A>(act: () => A): A | Promise<never> => {
  try {
    return act();
  } catch (cause) {
    return Promise.reject(cause);
  }
};

/** The result of a promise, or a `StoreError` after `millis`. */
export const bounded = <A>(promise: PromiseLike<A> | A, millis: number, clock: Clock): Promise<A> =>
  new Promise((resolve, reject) => {
    const stop = clock.schedule(millis, () =>
      reject(new StoreError(`it did not answer within ${millis / 1000} s`, undefined)),
    );
    Promise.resolve(promise).then(resolve, reject).finally(stop);
  });

const MAPS = ["leases", "policies", "routes"];
const FUNCTIONS = ["offset", "sync", "reserve", "settle", "close"];

/** Whether a store has opened something that can be used. */
export const isBackend = (value: unknown): value is Backend => {
  if (!isObject(value) || !isObject(value["state"])) return false;
  const { state } = value;
  return (
    isObject(state["errors"]) &&
    MAPS.every((name) => state[name] instanceof Map) &&
    FUNCTIONS.every((name) => ["undefined", "function"].includes(typeof value[name]))
  );
};

/** The milliseconds at which a store wants to be asked; nonsense would spin. */
export const soundPoll = (millis: number | undefined): number =>
  isAmount(millis, 1) ? millis : NEVER;

const isAmount = (value: unknown, least: number): value is number =>
  Number.isFinite(value) && (value as number) >= least;

/** So many windows of one response are learned: no service has as many. */
const MOST_WINDOWS = 64;

/** A copy of a window, whose members are read once; none of what is none. */
const soundWindow = (value: unknown): ReadonlyArray<RateLimitWindow> => {
  if (!isObject(value)) return [];
  const { hits, isPlain, max, periodMillis, restrictedMillis, rule } = value;
  const isSound =
    typeof rule === "string" &&
    isAmount(max, 1) &&
    isAmount(periodMillis, Number.MIN_VALUE) &&
    [hits, restrictedMillis].every((each) => each === undefined || isAmount(each, 0));
  if (!isSound) return [];
  return [{ hits, isPlain, max, periodMillis, restrictedMillis, rule } as RateLimitWindow];
};

/** Whether a response refuses a request as one too many, though its status is not 429. */
export const isRefusal = (
  status: number | undefined,
  info: RateLimitInfo | undefined,
  dialect: Pick<RateLimitDialect, "refusals">,
): boolean => {
  const refusals: unknown = dialect.refusals;
  return (
    info !== undefined &&
    Array.isArray(refusals) &&
    refusals.includes(status) &&
    (info.retryAfterMillis !== undefined ||
      info.windows.some(({ restrictedMillis = 0 }) => restrictedMillis > 0))
  );
};

/** The readable part of an outcome: a request whose outcome is nonsense was sent all the same. */
export const soundOutcome = (value: unknown): RequestOutcome => {
  if (!isObject(value)) return { status: undefined };
  const { headers, isFirewallBlock, sent, status } = value;
  return {
    status: isAmount(status, 0) ? status : undefined,
    headers: isObject(headers) ? (headers as RequestOutcome["headers"]) : undefined,
    isFirewallBlock: isFirewallBlock === true,
    sent: sent !== false,
  };
};

/** The places that a store wants to keep free; none, if it does not say so in a number. */
export const soundSpare =
  (spare: (max: number) => unknown) =>
  (max: number): number => {
    const places = attempt(
      () => spare(max),
      () => undefined,
    );
    return isAmount(places, 0) ? places : 0;
  };

/** The readable part of what a dialect has read. */
export const soundInfo = (value: unknown): RateLimitInfo | undefined => {
  if (!isObject(value)) return undefined;
  const { policy, retryAfterMillis, roundingMillis, windows } = value;
  return {
    policy: typeof policy === "string" ? policy : undefined,
    windows: Array.isArray(windows) ? windows.slice(0, MOST_WINDOWS).flatMap(soundWindow) : [],
    retryAfterMillis: isAmount(retryAfterMillis, 0) ? retryAfterMillis : undefined,
    ...(isAmount(roundingMillis, 0) && { roundingMillis }),
  };
};
