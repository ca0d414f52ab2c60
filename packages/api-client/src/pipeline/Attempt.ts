/**
 * One attempt of a call: waits for the rate limiter, sends the request, reads the response, and
 * tells the limiter the outcome. It runs by callbacks: a fiber for each step would cost more than
 * the rest of a small call.
 */
import type { PermitCallbacks } from "@game-data/rate-limit/effect";
import * as Clock from "effect/Clock";
import * as Exit from "effect/Exit";
import type * as Fiber from "effect/Fiber";
import { Timeout } from "../Errors.ts";
import type { GameApiError } from "../Errors.ts";
import { describeCause, SendError } from "../Transport.ts";
import type { IncomingResponse, OutgoingRequest, Transport } from "../Transport.ts";
import { readText } from "./body.ts";
import { callInfo } from "./Call.ts";
import type { Call, Outcome, ReceivedResponse } from "./Call.ts";
import { buildRequest, connectError, receive, refusal, requestInfo } from "./exchange.ts";
import { callHook } from "./Instruments.ts";
import { fromLimiter } from "./limit.ts";
import type { PipelineOptions } from "./PipelineOptions.ts";
import { toMillis } from "./time.ts";
import { startTimer } from "./timer.ts";

const MAX_ERROR_BODY_BYTES = 65_536;

type Settle = Parameters<PermitCallbacks["granted"]>[1];

/** The attempt. `done` is called once, unless it is cancelled. */
export class Attempt {
  readonly #options: PipelineOptions;
  readonly #call: Call;
  readonly #fiber: Fiber.Fiber<unknown, unknown>;
  readonly #done: (outcome: Outcome) => void;
  #isOver = false;
  #leave: (() => void) | undefined;
  #settle: Settle | undefined;
  #stopTimer: (() => void) | undefined;
  #abort: (() => void) | undefined;
  /** What the end of the time does instead of failing with `Timeout`. */
  #whenLate: (() => void) | undefined;

  constructor(
    options: PipelineOptions,
    call: Call,
    fiber: Fiber.Fiber<unknown, unknown>,
    done: (outcome: Outcome) => void,
  ) {
    this.#options = options;
    this.#call = call;
    this.#fiber = fiber;
    this.#done = done;
  }

  start(): void {
    const call = this.#call;
    const { account, maxWait, options, request } = call;
    call.attempt = { sent: false, status: undefined };
    this.#leave = this.#options.limiter.submit(
      {
        route: request.rateLimitRoute,
        identity: account.identity,
        priority: options.priority,
        maxWait,
      },
      {
        granted: (permit, settle) => {
          this.#settle = settle;
          call.waitedMillis += permit.waitedMillis;
          call.policy = permit.policy ?? call.policy;
          this.#guard(() => this.#exchange());
        },
        refused: (error) => this.#end(Exit.fail(fromLimiter(call, error))),
      },
    );
  }

  /** Gives up; the limiter hears what became of the request. */
  cancel(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#leave?.();
    this.#release();
    this.#report();
  }

  #exchange(): void {
    const { hooks, instruments, timeout, userAgent } = this.#options;
    const call = this.#call;
    const fiber = this.#fiber;
    const started = fiber.getRef(Clock.Clock).currentTimeMillisUnsafe();
    const request = buildRequest(call, userAgent);
    call.attempts++;
    if (hooks.onRequest) callHook(hooks.onRequest, requestInfo(call, request), instruments, fiber);
    instruments.onRequest?.(() => requestInfo(call, request), fiber);
    call.attempt.sent = true;
    this.#limitTime(toMillis(call.options.timeout, timeout));
    this.#send(request, (result) => {
      if (result instanceof SendError) this.#end(Exit.fail(connectError(call, result)));
      else if (this.#isOver) result.abort();
      else this.#guard(() => this.#respond(result, started));
    });
  }

  /** A transport may answer before it has returned. */
  #send(request: OutgoingRequest, answered: Parameters<Transport>[1]): void {
    let isAnswered = false;
    const settle = (result: Parameters<typeof answered>[0]): void => {
      isAnswered = true;
      answered(result);
    };
    try {
      const abort = this.#options.transport(request, settle);
      if (!isAnswered && typeof abort === "function") this.#abort = abort;
    } catch (cause) {
      settle(new SendError({ kind: "connect", detail: describeCause(cause), cause }));
    }
  }

  #respond(incoming: IncomingResponse, started: number): void {
    const { hooks, instruments, maxBodyBytes } = this.#options;
    const call = this.#call;
    const fiber = this.#fiber;
    this.#abort = incoming.abort;
    const received = receive(call, incoming, maxBodyBytes, fiber);
    callHook(hooks.onResponse, received.info, instruments, fiber);
    callHook(call.options.onResponse, received.info, instruments, fiber);
    const { handler, request } = call;
    if (!handler.accepts(incoming.status)) {
      this.#refuse(received);
      return;
    }
    const read = (body: string): void => {
      // Its connection is free. To abort a fetch makes an error with a stack, all the same.
      if (!handler.streams) this.#abort = undefined;
      const outcome = handler.read(received, body);
      if (Exit.isSuccess(outcome)) {
        const took = fiber.getRef(Clock.Clock).currentTimeMillisUnsafe() - started;
        instruments.measure?.("durations", took, { route: request.route }, fiber);
        if (handler.streams) {
          call.incoming = incoming;
          this.#abort = undefined;
        }
      }
      this.#end(outcome);
    };
    if (handler.streams) {
      read("");
      return;
    }
    const facts = { ...received.callInfo, status: incoming.status };
    readText(incoming, maxBodyBytes, facts).then(
      (body) => this.#guard(() => read(body)),
      (error: GameApiError) => this.#end(Exit.fail(error)),
    );
  }

  /** An error response; its body is read for code and message, as far as that goes in time. */
  #refuse(received: ReceivedResponse): void {
    const call = this.#call;
    const fiber = this.#fiber;
    const fail = (body: string): void => {
      const now = fiber.getRef(Clock.Clock).currentTimeMillisUnsafe();
      const error = refusal(call, received, body, now);
      if (error._tag === "RateLimited") {
        const policy = received.callInfo.policy ?? "unknown";
        this.#options.instruments.measure?.("violations", 1, { policy }, fiber);
      }
      this.#end(Exit.fail(error));
    };
    this.#whenLate = () => fail("");
    readText(received.incoming, MAX_ERROR_BODY_BYTES, received.callInfo)
      .catch(() => "")
      .then((body) => this.#guard(() => fail(body)));
  }

  #limitTime(millis: number): void {
    this.#stopTimer = startTimer(millis, this.#fiber, () => {
      if (this.#whenLate) this.#guard(this.#whenLate);
      else this.#end(Exit.fail(new Timeout({ ...callInfo(this.#call), kind: "attempt" })));
    });
  }

  /** What throws in here is a defect, of the call and not of the process. */
  #guard(go: () => void): void {
    if (this.#isOver) return;
    try {
      go();
    } catch (defect) {
      this.#end(Exit.die(defect));
    }
  }

  #end(outcome: Outcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#release();
    const recording = this.#report();
    if (recording) void recording.then(() => this.#done(outcome));
    else this.#done(outcome);
  }

  #release(): void {
    this.#stopTimer?.();
    this.#abort?.();
  }

  #report(): Promise<void> | undefined {
    const { attempt, request } = this.#call;
    if (!this.#settle) return undefined;
    const attributes = { route: request.route, status: String(attempt.status ?? "none") };
    if (attempt.sent) this.#options.instruments.measure?.("requests", 1, attributes, this.#fiber);
    return this.#settle(attempt);
  }
}
