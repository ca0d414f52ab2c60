/**
 * The way of every call, from its request to its value: one loop over attempts.
 *
 * `start` bounds the call, `join` shares it with an equal one, `authorize` gets a token, `attempt`
 * sends, and `decide` ends the call or begins again: with a new token after a 401, or after a wait.
 */
import * as Redacted from "effect/Redacted";
import type { AccessToken, CredentialsError } from "../Credentials.ts";
import { Forbidden, Timeout, TransportError, Unauthorized } from "../Errors.ts";
import type { CallInfo, GameApiError } from "../Errors.ts";
import { delayOf, mayRepeat } from "../Retry.ts";
import { Attempt } from "./Attempt.ts";
import {
  askHook,
  callInfo,
  fail,
  interrupted,
  isShareable,
  newCall,
  numberUsers,
  release,
  succeed,
} from "./Call.ts";
import type { Account, Call, Host, Outcome, Task } from "./Call.ts";
import type { PipelineOptions } from "./PipelineOptions.ts";
import { toMillis } from "./timer.ts";

/**
 * Starts calls, which call back once. Returns what interrupts one, which then stays silent, and
 * tells the facts about it.
 */
export type Pipeline = (task: Task, host: Host, done: (outcome: Outcome) => void) => () => CallInfo;

/** A call that others wait for, because they are equal. */
interface Leader {
  readonly call: Call;
  readonly waiting: Set<(outcome: Outcome) => void>;
}

/** What all calls of a client share. */
interface Shared {
  readonly options: PipelineOptions;
  /** Retries on credit: spent by retries, earned back by successes. */
  credit: number;
  readonly leaders: Map<string, Leader>;
  readonly numberOf: (account: Account) => number;
}

/** The share of a retry that a success earns back. */
const EARNED = 0.5;

/** Makes the pipeline of a client. */
export const makePipeline = (options: PipelineOptions): Pipeline => {
  const shared: Shared = {
    options,
    credit: options.retry.budget,
    leaders: new Map(),
    numberOf: numberUsers(),
  };
  return (task, host, done) => {
    const loop = new CallLoop(shared, newCall(task, options.maxWait), host, done);
    loop.guard(() => loop.start());
    return () => loop.interrupt();
  };
};

class CallLoop {
  readonly #shared: Shared;
  readonly #call: Call;
  readonly #host: Host;
  readonly #done: (outcome: Outcome) => void;
  readonly #ends: Array<() => void> = [];
  /** Ends what is under way. */
  #cancel: (() => void) | undefined;
  #isOver = false;
  #endsAt = Number.POSITIVE_INFINITY;
  #isRenewed = false;
  /** The token that is to be replaced before the next attempt. */
  #refused: Redacted.Redacted | undefined;
  /** Under which others wait for this call. */
  #key: string | undefined;

  constructor(shared: Shared, call: Call, host: Host, done: (outcome: Outcome) => void) {
    this.#shared = shared;
    this.#call = call;
    this.#host = host;
    this.#done = done;
  }

  /** Bounds the call by its total time and its signal. */
  start(): void {
    const call = this.#call;
    const { signal, totalTimeout } = call.options;
    const total = toMillis(totalTimeout, this.#shared.options.totalTimeout);
    if (Number.isFinite(total)) {
      this.#endsAt = this.#host.now() + total;
      const late = () => this.#stop(fail(new Timeout({ ...callInfo(call), kind: "total" })));
      this.#ends.push(this.#host.startTimer(total, late));
    }
    if (signal) {
      const abort = () => this.#stop(interrupted);
      if (signal.aborted) {
        abort();
        return;
      }
      signal.addEventListener("abort", abort, { once: true });
      this.#ends.push(() => signal.removeEventListener("abort", abort));
    }
    this.#join();
  }

  /** Gives up, and tells nobody but those who wait for this call. */
  interrupt(): CallInfo {
    this.#cancel?.();
    this.#end(interrupted, false);
    return callInfo(this.#call);
  }

  /** What throws in here ends the call, and nobody waits for it in vain. */
  guard(go: () => void): void {
    if (this.#isOver) return;
    try {
      go();
    } catch (defect) {
      this.#end({ _tag: "Defect", defect });
    }
  }

  #stop(outcome: Outcome): void {
    // Who waits for this call was not stopped: one of them runs instead.
    this.#end(interrupted, false);
    this.#cancel?.();
    this.#done(outcome);
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
    if (tells) this.#done(outcome);
  }

  /**
   * Identical GETs of one user that are in flight at once take one request. All callers get the
   * same value, so results are read-only.
   */
  #join(): void {
    const call = this.#call;
    const { leaders, numberOf, options } = this.#shared;
    if (options.dedupe && isShareable(call)) {
      const key = `${numberOf(call.account)} ${call.request.operation} ${call.request.url}`;
      const leader = leaders.get(key);
      if (leader) {
        this.#follow(leader);
        return;
      }
      this.#key = key;
      leaders.set(key, { call, waiting: new Set() });
    }
    const known = options.cache?.lookUp(call, this.#host.now());
    if (known) this.#end(succeed(known.value));
    else this.#authorize();
  }

  #follow({ call, waiting }: Leader): void {
    const listen = (outcome: Outcome): void => {
      const { attempts, response, retried } = call;
      if (outcome._tag === "Interrupted") {
        this.#call.attempts = attempts;
        this.#join();
        return;
      }
      const { onResponse } = this.#call.options;
      if (response && onResponse) askHook(this.#host, "a hook", () => onResponse(response));
      // The attempts were its own as well; when to give up is up to each call.
      Object.assign(this.#call, { attempts, retried });
      if (outcome._tag === "Failure") this.#decide(outcome);
      else this.#end(outcome);
    };
    const hear = (outcome: Outcome) => this.guard(() => listen(outcome));
    waiting.add(hear);
    this.#cancel = () => {
      waiting.delete(hear);
      this.#call.attempts = call.attempts;
    };
  }

  /** Obtains the token; a source that has it at hand calls back at once, and no other may hang. */
  #authorize(): void {
    const { tokens } = this.#call.account;
    if (tokens === undefined) {
      this.#attempt();
      return;
    }
    let end: (() => void) | undefined;
    let isTaken = false;
    const taken = (token: Outcome<AccessToken, CredentialsError>): void => {
      if (isTaken) return;
      isTaken = true;
      end?.();
      const failure = takeToken(this.#call, token);
      if (failure) this.#decide(failure);
      else this.#attempt();
    };
    const giveUp = tokens.take(this.#host, this.#refused, (token) =>
      this.guard(() => taken(token)),
    );
    if (giveUp === undefined || isTaken) return;
    const millis = toMillis(this.#call.options.timeout, this.#shared.options.timeout);
    if (Number.isFinite(millis))
      end = this.#host.startTimer(millis, () => {
        const detail = `the source did not answer within ${millis / 1000} s`;
        this.guard(() => taken(fail({ isRetryable: true, detail })));
        giveUp();
      });
    this.#cancel = () => {
      end?.();
      giveUp();
    };
  }

  #attempt(): void {
    const call = this.#call;
    this.#refused = undefined;
    const attempt = new Attempt(this.#shared.options, call, this.#host, (outcome) => {
      if (this.#isOver) release(this.#host, call.incoming?.abort);
      else this.guard(() => this.#decide(outcome));
    });
    this.#cancel = () => attempt.cancel();
    attempt.start();
  }

  #decide(outcome: Outcome): void {
    const shared = this.#shared;
    if (outcome._tag === "Success")
      shared.credit = Math.min(shared.options.retry.budget, shared.credit + EARNED);
    if (outcome._tag !== "Failure") {
      this.#end(outcome);
      return;
    }
    const { account, token } = this.#call;
    const { error } = outcome;
    const isRefused = error._tag === "Unauthorized" && error.kind === "refused";
    if (isRefused && account.tokens?.renews && token && !this.#isRenewed) {
      this.#isRenewed = true;
      this.#refused = token.token;
      this.#authorize();
    } else if (!this.#repeats(error)) this.#end(outcome);
  }

  #repeats(error: GameApiError): boolean {
    const shared = this.#shared;
    const { options } = shared;
    const call = this.#call;
    const host = this.#host;
    const times = call.options.retries ?? options.retry.times;
    if (call.retried >= times || !mayRepeat(call, error) || shared.credit < 1) return false;
    const delayMillis = delayOf(call, error, options.retry, host.random());
    if (delayMillis === undefined || host.now() + delayMillis >= this.#endsAt) return false;
    shared.credit -= 1;
    call.retried++;
    const { operation, route } = call.request;
    const info = { operation, route, attempts: call.attempts, error, delayMillis };
    const { onRetry } = options.hooks;
    host.measure?.("retries", 1, { route });
    if (onRetry) askHook(host, "a hook", () => onRetry(info));
    // Who has followed another call follows again, or leads.
    const again = () => (this.#key === undefined ? this.#join() : this.#authorize());
    this.#cancel = host.sleep(delayMillis, () => this.guard(again));
    return true;
  }
}

/** Takes the token of a source over into the call; gives the failure of one that cannot be used. */
const takeToken = (
  call: Call,
  source: Outcome<AccessToken, CredentialsError>,
): Outcome | undefined => {
  if (source._tag === "Failure") return fail(noToken(call, source.error));
  if (source._tag !== "Success") return source;
  const { scopes, token } = source.value;
  // Fetch quotes a header value that it refuses, and with it the token, in its error.
  if (!TOKEN.test(Redacted.value(token)))
    return fail(noToken(call, { isRetryable: false, detail: "not a bearer token" }));
  call.token = source.value;
  const { scopes: scopesNeeded } = call.request;
  const scopesMissing = scopes ? scopesNeeded.filter((scope) => !scopes.includes(scope)) : [];
  return scopesMissing.length > 0
    ? fail(new Forbidden({ ...callInfo(call), kind: "scope", scopesNeeded, scopesMissing }))
    : undefined;
};

const noToken = (call: Call, { cause, detail, isRetryable }: CredentialsError) => {
  const facts = { ...callInfo(call), detail, ...(cause !== undefined && { cause }) };
  return isRetryable
    ? new TransportError({ ...facts, kind: "token" })
    : new Unauthorized({ ...facts, kind: "no-token" });
};

/**
 * Characters that a header can hold (RFC 6750 §2.1, and leniently any other printable one). A token
 * read from a file may end with a line break.
 */
const TOKEN = /^[\x21-\x7e]+$/u;
