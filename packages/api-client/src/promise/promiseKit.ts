/**
 * Calls as promises, without fibers: in the time of the process, with warnings on the console.
 */
import type { PolicyLimiterService } from "@game-data/rate-limit";
import * as Effect from "effect/Effect";
import type { CallOptions } from "../CallOptions.ts";
import { TransportError } from "../Errors.ts";
import type { GameApiError } from "../Errors.ts";
import type { Kit } from "../operations/Kit.ts";
import { isPaged, pagerOf, type PageOptions } from "../operations/paging.ts";
import type { Host, Outcome } from "../pipeline/Call.ts";
import { submitTo } from "../pipeline/limiterBridge.ts";
import { startTimer } from "../pipeline/timer.ts";
import { toTokens } from "./credentials.ts";
import type { PromiseFace } from "./Model.ts";
import { toRaw } from "./raw.ts";

const host: Host = {
  now: () => Date.now(),
  random: () => Math.random(),
  startTimer,
  sleep: (millis, wake) => {
    const timer = setTimeout(wake, millis);
    return () => clearTimeout(timer);
  },
  warn: (message, cause) => console.warn(message, cause),
};

/** A call in flight; it can be ended once it is under way. */
interface Running {
  end?: () => void;
}

const NOT_SENT = { sent: false, status: undefined };

/** The kit of a client over a limiter, and the end of all its calls. */
export const promiseKit = (
  limiter: PolicyLimiterService,
): { readonly kit: Kit<PromiseFace>; readonly close: () => Promise<void> } => {
  const running = new Set<Running>();
  let isClosed = false;
  const submit = submitTo(limiter);
  const kit: Kit<PromiseFace> = {
    ...promises,
    run: (start, { options: { signal }, request: { operation, route } }) =>
      new Promise((resolve, reject) => {
        if (isClosed) {
          reject(closed(operation, route));
          return;
        }
        const call: Running = {};
        running.add(call);
        const interrupt = start(host, (outcome) => {
          running.delete(call);
          if (outcome._tag === "Success") resolve(outcome.value);
          else reject(reasonOf(outcome, signal));
        });
        call.end = () => reject(new TransportError({ ...interrupt(), kind: "closed" }));
        // A hook may have closed the client meanwhile.
        if (isClosed) call.end();
      }),
    submit: (request, { granted, refused }) =>
      submit(request, {
        granted: (permit, settle) => {
          // A call that `close` ends frees its place, or is taken over: no other request follows.
          if (isClosed) void settle(NOT_SENT);
          else granted(permit, settle);
        },
        refused,
      }),
    forecast: async (where, count) => {
      if (isClosed) throw closed("forecast", where.route);
      return Effect.runPromise(limiter.forecast(where, count));
    },
    snapshot: async (where) => {
      if (isClosed) throw closed("limits", where.route);
      return Effect.runPromise(limiter.limits(where));
    },
  };
  const close = async (): Promise<void> => {
    isClosed = true;
    for (const { end } of running) end?.();
    running.clear();
  };
  return { kit, close };
};

/** What needs nothing of a client. */
const promises: Omit<Kit<PromiseFace>, "forecast" | "run" | "snapshot" | "submit"> = {
  succeed: async (value) => value,
  fail: async (error) => {
    throw error;
  },
  map: (promise, change) => promise.then(change),
  flatMap: (promise, then) => promise.then(then),
  catchIf: (promise, isCaught, then) =>
    promise.catch((error: unknown) => {
      if (isCallError(error) && isCaught(error)) return then(error);
      throw error;
    }),
  each: async (items, { concurrency, options }, make) => {
    const stop = new AbortController();
    const signals = [stop.signal, ...(options.signal ? [options.signal] : [])];
    const own = { ...options, signal: AbortSignal.any(signals) };
    const left = items.entries();
    const made: Array<unknown> = [];
    const work = async (): Promise<void> => {
      for (const [index, item] of left) {
        if (stop.signal.aborted) return;
        made[index] = await make(item, own);
      }
    };
    const workers = Math.min(concurrency, items.length);
    try {
      await Promise.all(Array.from({ length: workers }, work));
    } catch (error) {
      stop.abort(error);
      throw error;
    }
    return made as never;
  },
  raw: async (opening, { signal }) => toRaw(await opening, signal),
  tokensOf: toTokens,
  extras: (group, methods) => {
    const added: Record<string, unknown> = {};
    for (const [method, read] of Object.entries(methods as Record<string, ReadPage>)) {
      const name = `${group}.${method}`;
      if (!isPaged(name)) continue;
      const pages = pagesOf(name, read);
      added[`${method}Pages`] = pages;
      added[`${method}Entries`] = async function* (...args: Parameters<typeof pages>) {
        for await (const page of pages(...args)) yield* page.entries;
      };
    }
    return added;
  },
};

/** What a call that gave no value is rejected with: the reason of its signal, where that ended it. */
const reasonOf = (outcome: Outcome, signal: AbortSignal | undefined): unknown => {
  if (outcome._tag === "Failure") return outcome.error;
  if (outcome._tag === "Defect") return outcome.defect;
  return signal?.aborted ? signal.reason : new Error("aborted");
};

const closed = (operation: string, route: string) =>
  new TransportError({ operation, route, attempts: 0, kind: "closed" });

const isCallError = (error: unknown): error is GameApiError =>
  error instanceof Error && "operation" in error;

/** The method of a paged operation. */
type ReadPage = (request: object, options?: CallOptions) => Promise<unknown>;

/** A list as an async iterable of its pages. */
const pagesOf = (name: Parameters<typeof pagerOf>[0], read: ReadPage) =>
  async function* (request: object = {}, options?: PageOptions) {
    const pager = pagerOf(name, request as never, options);
    if (pager instanceof Error) throw pager;
    let offset: number | undefined = pager.first;
    while (offset !== undefined) {
      const value = await read(pager.requestAt(offset), pager.options);
      const found = pager.pageOf(offset, value);
      if (found === null) return;
      yield found.page;
      offset = found.next;
    }
  };
