/**
 * The way of every call, from its request to its value: one loop over attempts.
 *
 * `start` bounds the call, `join` shares it with an equal one, `authorize` gets a token, `attempt`
 * sends, and `decide` ends the call or begins again: with a new token after a 401, or after a wait.
 */
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import * as Random from "effect/Random";
import type { CallOptions } from "../CallOptions.ts";
import type { AccessToken, CredentialsError } from "../Credentials.ts";
import { InvalidRequest, Timeout } from "../Errors.ts";
import type { GameApiError } from "../Errors.ts";
import { callOptionProblem } from "../operations/checkOptions.ts";
import { RetryBudget } from "../Retry.ts";
import { Attempt } from "./Attempt.ts";
import { takeToken } from "./auth.ts";
import { callInfo, isShareable, newCall, numberUsers } from "./Call.ts";
import type { Account, Call, Outcome, PreparedRequest, ResponseHandler } from "./Call.ts";
import { callHook } from "./Instruments.ts";
import type { PipelineOptions } from "./PipelineOptions.ts";
import { delayOf, mayRepeat } from "./retry.ts";
import { toMillis } from "./time.ts";
import { startTimer } from "./timer.ts";

/** Runs calls. */
export interface Pipeline {
  readonly run: (
    request: PreparedRequest,
    handler: ResponseHandler,
    account: Account,
    options: CallOptions,
  ) => Effect.Effect<unknown, GameApiError>;
}

/** A call that others wait for, because they are equal. */
interface Leader {
  readonly call: Call;
  readonly waiting: Set<(outcome: Outcome) => void>;
}

/** What all calls of a client share. */
interface Shared {
  readonly options: PipelineOptions;
  readonly budget: RetryBudget;
  readonly leaders: Map<string, Leader>;
  readonly numberOf: (account: Account) => number;
}

/** Makes the pipeline of a client. */
export const makePipeline = (options: PipelineOptions): Pipeline => {
  const { instruments, maxWait, retry } = options;
  const shared: Shared = {
    options,
    budget: new RetryBudget(retry.budget),
    leaders: new Map(),
    numberOf: numberUsers(),
  };
  return {
    run: (request, handler, account, callOptions) => {
      const running = Effect.withFiber<unknown, GameApiError>((fiber) => {
        const { operation, route } = request;
        const detail = callOptionProblem(callOptions);
        if (detail !== undefined)
          return Effect.fail(new InvalidRequest({ operation, route, attempts: 0, detail }));
        const call = newCall(request, handler, account, callOptions);
        call.maxWait = toMillis(callOptions.maxWait, maxWait);
        return Effect.callback((resume) => {
          const loop = new CallLoop(shared, call, fiber, resume);
          loop.start();
          return Effect.suspend(() => loop.interrupt());
        });
      });
      return instruments.trace ? instruments.trace(request, running) : running;
    },
  };
};

class CallLoop {
  readonly #shared: Shared;
  readonly #call: Call;
  readonly #fiber: Fiber.Fiber<unknown, unknown>;
  readonly #resume: (outcome: Outcome) => void;
  readonly #ends: Array<() => void> = [];
  /** Ends what is under way. */
  #cancel: (() => Effect.Effect<void> | void) | undefined;
  #isOver = false;
  #endsAt = Number.POSITIVE_INFINITY;
  #retried = 0;
  #isRenewed = false;
  /** Under which others wait for this call. */
  #key: string | undefined;

  constructor(
    shared: Shared,
    call: Call,
    fiber: Fiber.Fiber<unknown, unknown>,
    resume: (outcome: Outcome) => void,
  ) {
    this.#shared = shared;
    this.#call = call;
    this.#fiber = fiber;
    this.#resume = resume;
  }

  /** Bounds the call by its total time and its signal. */
  start(): void {
    const call = this.#call;
    const fiber = this.#fiber;
    const { signal, totalTimeout } = call.options;
    const total = toMillis(totalTimeout, this.#shared.options.totalTimeout);
    if (Number.isFinite(total)) {
      this.#endsAt = this.#now() + total;
      const late = () => this.#stop(Exit.fail(new Timeout({ ...callInfo(call), kind: "total" })));
      this.#ends.push(startTimer(total, fiber, late)!);
    }
    if (signal) {
      const abort = () => this.#stop(Exit.interrupt());
      if (signal.aborted) {
        abort();
        return;
      }
      signal.addEventListener("abort", abort, { once: true });
      this.#ends.push(() => signal.removeEventListener("abort", abort));
    }
    this.#join();
  }

  /** The caller's fiber was interrupted. */
  interrupt(): Effect.Effect<void> {
    const stopping = this.#cancel?.();
    this.#end(Exit.interrupt(), false);
    return stopping ?? Effect.void;
  }

  #stop(outcome: Outcome): void {
    // Who waits for this call was not stopped: one of them runs instead.
    this.#end(Exit.interrupt(), false);
    const stopping = this.#cancel?.();
    if (stopping) Effect.runFork(stopping);
    this.#resume(outcome);
  }

  #end(outcome: Outcome, tells = true): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const end of this.#ends) end();
    if (this.#key !== undefined) {
      const leader = this.#shared.leaders.get(this.#key);
      this.#shared.leaders.delete(this.#key);
      for (const hear of leader?.waiting ?? []) hear(outcome);
    }
    if (tells) this.#resume(outcome);
  }

  /**
   * Identical GETs of one user that are in flight at once take one request. All callers get the
   * same value, so results are read-only.
   */
  #join(): void {
    const call = this.#call;
    const shared = this.#shared;
    if (shared.options.dedupe && isShareable(call)) {
      const { leaders, numberOf } = shared;
      const key = `${numberOf(call.account)} ${call.request.operation} ${call.request.url}`;
      const leader = leaders.get(key);
      if (leader) {
        this.#follow(leader);
        return;
      }
      this.#key = key;
      leaders.set(key, { call, waiting: new Set() });
    }
    const known = shared.options.cache?.lookUp(call, this.#now());
    if (known) this.#end(Exit.succeed(known.value));
    else this.#authorize();
  }

  #follow({ call, waiting }: Leader): void {
    const hear = (outcome: Outcome): void => {
      if (this.#isOver) return;
      if (Exit.isFailure(outcome) && Exit.hasInterrupts(outcome)) {
        this.#join();
        return;
      }
      const { instruments } = this.#shared.options;
      const { onResponse } = this.#call.options;
      if (call.response) callHook(onResponse, call.response, instruments, this.#fiber);
      this.#end(outcome);
    };
    waiting.add(hear);
    this.#cancel = () => void waiting.delete(hear);
  }

  /** Obtains the token; a source that has it at hand costs no fiber. */
  #authorize(source = this.#call.account.credentials?.current): void {
    if (source === undefined) this.#attempt();
    else
      this.#wait<AccessToken, CredentialsError>(source, (token) => {
        const failure = takeToken(this.#call, token);
        if (failure) this.#decide(failure);
        else this.#attempt();
      });
  }

  #attempt(): void {
    const call = this.#call;
    const attempt = new Attempt(this.#shared.options, call, this.#fiber, (outcome) => {
      if (this.#isOver) call.incoming?.abort();
      else this.#decide(outcome);
    });
    this.#cancel = () => attempt.cancel();
    attempt.start();
  }

  #decide(outcome: Outcome): void {
    if (Exit.isSuccess(outcome)) {
      this.#shared.budget.deposit();
      this.#end(outcome);
      return;
    }
    const failure = Exit.findErrorOption(outcome);
    if (failure._tag === "None") {
      this.#end(outcome);
      return;
    }
    const { account, token } = this.#call;
    const error = failure.value;
    const isRefused = error._tag === "Unauthorized" && error.kind === "refused";
    if (isRefused && account.credentials?.renew && token && !this.#isRenewed) {
      this.#isRenewed = true;
      this.#authorize(account.credentials.renew(token.token));
    } else if (!this.#repeats(error)) this.#end(outcome);
  }

  #repeats(error: GameApiError): boolean {
    const { budget, options } = this.#shared;
    const call = this.#call;
    const fiber = this.#fiber;
    const retried = this.#retried;
    const times = call.options.retries ?? options.retry.times;
    if (retried >= times || !mayRepeat(call, error) || !budget.withdraw()) return false;
    const random = fiber.getRef(Random.Random).nextDoubleUnsafe();
    const delayMillis = delayOf(call, error, options.retry, { retried, random });
    if (delayMillis === undefined || this.#now() + delayMillis >= this.#endsAt) return false;
    this.#retried++;
    const { hooks, instruments } = options;
    const { operation, route } = call.request;
    const info = { operation, route, attempts: call.attempts, error, delayMillis };
    instruments.measure?.("retries", 1, { route }, fiber);
    callHook(hooks.onRetry, info, instruments, fiber);
    instruments.onRetry?.(info, fiber);
    this.#wait(Effect.sleep(delayMillis), () => this.#authorize());
    return true;
  }

  #now(): number {
    return this.#fiber.getRef(Clock.Clock).currentTimeMillisUnsafe();
  }

  /** Runs an effect within the call. */
  #wait<A, E>(effect: Effect.Effect<A, E>, then: (exit: Exit.Exit<A, E>) => void): void {
    if (Exit.isExit(effect)) {
      then(effect as Exit.Exit<A, E>);
      return;
    }
    const running = Effect.runForkWith(this.#fiber.context)(effect);
    this.#cancel = () => Fiber.interrupt(running);
    running.addObserver((exit) => {
      if (this.#isOver) this.#call.incoming?.abort();
      else then(exit);
    });
  }
}
