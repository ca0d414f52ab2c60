/**
 * One attempt of a call: waits for the rate limiter, sends the request, reads the response, and
 * tells the limiter the outcome. It runs by callbacks: a fiber for each step would cost more than
 * the rest of a small call.
 */
import { ACCEPTED_CODINGS } from "@game-data/contract/inflate";
import * as Redacted from "effect/Redacted";
import type { RequestInfo, ResponseInfo } from "../CallOptions.ts";
import { Timeout } from "../Errors.ts";
import type { GameApiError } from "../Errors.ts";
import { settledError, unanswered } from "../Transport.ts";
import type { IncomingResponse, OutgoingRequest, Transport } from "../Transport.ts";
import { readText } from "./body.ts";
import { askHook, callInfo, fail, isFirewallBlock, release, withoutToken } from "./Call.ts";
import type { Call, Host, Outcome, ReceivedResponse } from "./Call.ts";
import { connectError, fromLimiter, refusal } from "./errorFromResponse.ts";
import type { PipelineOptions, Settle } from "./PipelineOptions.ts";
import { toMillis } from "./timer.ts";

const MAX_ERROR_BODY_BYTES = 65_536;

/** The attempt. `done` is called once, unless it is cancelled. */
export class Attempt {
  readonly #options: PipelineOptions;
  readonly #call: Call;
  readonly #host: Host;
  readonly #done: (outcome: Outcome) => void;
  #isOver = false;
  #leave: (() => void) | undefined;
  #settle: Settle | undefined;
  #stopTimer: (() => void) | undefined;
  #abort: (() => void) | undefined;
  /** What the end of the time does instead of failing with `Timeout`. */
  #whenLate: (() => void) | undefined;

  constructor(options: PipelineOptions, call: Call, host: Host, done: (outcome: Outcome) => void) {
    this.#options = options;
    this.#call = call;
    this.#host = host;
    this.#done = done;
  }

  start(): void {
    const call = this.#call;
    const { account, maxWait, options, request } = call;
    call.attempt = { sent: false, status: undefined };
    this.#leave = this.#options.submit(
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
        refused: (why) => this.#end(fail(fromLimiter(call, why))),
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
    const { hooks, timeout, userAgent } = this.#options;
    const call = this.#call;
    const host = this.#host;
    const { onRequest } = hooks;
    const started = host.now();
    const request = buildRequest(call, userAgent);
    if (onRequest) askHook(host, "a hook", () => onRequest(requestInfo(call, request)));
    host.onRequest?.(() => requestInfo(call, request));
    // A hook may have ended the call.
    if (this.#isOver) return;
    call.attempts++;
    call.attempt.sent = true;
    this.#limitTime(toMillis(call.options.timeout, timeout));
    this.#send(request, (result) => {
      const error = settledError(result);
      if (error) this.#guard(() => this.#end(fail(connectError(call, error))));
      else {
        const response = result as IncomingResponse;
        if (this.#isOver) release(host, () => response.abort());
        else this.#guard(() => this.#respond(response, started));
      }
    });
  }

  /** A transport may answer before it has returned. */
  #send(request: OutgoingRequest, answered: Parameters<Transport>[1]): void {
    let isAnswered = false;
    const settle = (result: Parameters<typeof answered>[0]): void => {
      isAnswered = true;
      answered(result);
    };
    const fails = (cause: unknown): void => settle(unanswered(cause));
    try {
      const abort: unknown = this.#options.transport(request, settle);
      if (typeof abort !== "function") Promise.resolve(abort).catch(fails);
      else if (!isAnswered) this.#abort = abort as () => void;
    } catch (cause) {
      fails(cause);
    }
  }

  #respond(incoming: IncomingResponse, started: number): void {
    const { hooks, maxBodyBytes } = this.#options;
    const call = this.#call;
    const host = this.#host;
    this.#abort = incoming.abort;
    const received = receive(call, incoming, maxBodyBytes, host);
    for (const hook of [hooks.onResponse, call.options.onResponse])
      if (hook) askHook(host, "a hook", () => hook(received.info));
    const { handler, request } = call;
    if (!handler.accepts(incoming.status)) {
      this.#refuse(received);
      return;
    }
    const read = (body: string): void => {
      // Its connection is free. To abort a fetch makes an error with a stack, all the same.
      if (!handler.streams) this.#abort = undefined;
      const outcome = handler.read(received, body);
      if (outcome._tag === "Success") {
        host.measure?.("durations", host.now() - started, { route: request.route });
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
    readText(received, maxBodyBytes).then(
      (body) => this.#guard(() => read(body)),
      (error: GameApiError) => this.#end(fail(error)),
    );
  }

  /** An error response; its body is read for code and message, as far as that goes in time. */
  #refuse(received: ReceivedResponse): void {
    const call = this.#call;
    const host = this.#host;
    const end = (body: string): void => {
      const error = refusal(call, received, body, host.now());
      if (error._tag === "RateLimited") {
        const policy = received.callInfo.policy ?? "unknown";
        host.measure?.("violations", 1, { policy });
      }
      this.#end(fail(error));
    };
    this.#whenLate = () => end("");
    readText(received, MAX_ERROR_BODY_BYTES)
      .catch(() => "")
      .then((body) => this.#guard(() => end(body)));
  }

  #limitTime(millis: number): void {
    if (!Number.isFinite(millis)) return;
    this.#stopTimer = this.#host.startTimer(millis, () => {
      if (this.#whenLate) this.#guard(this.#whenLate);
      else this.#end(fail(new Timeout({ ...callInfo(this.#call), kind: "attempt" })));
    });
  }

  /** What throws in here is a defect, of the call and not of the process. */
  #guard(go: () => void): void {
    if (this.#isOver) return;
    try {
      go();
    } catch (defect) {
      this.#end({ _tag: "Defect", defect });
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
    release(this.#host, this.#abort);
  }

  #report(): Promise<void> | undefined {
    const { attempt, request } = this.#call;
    if (!this.#settle) return undefined;
    if (attempt.sent) {
      const status = String(attempt.status ?? "none");
      this.#host.measure?.("requests", 1, { route: request.route, status });
    }
    return this.#settle(attempt);
  }
}

const ACCEPTED = ACCEPTED_CODINGS.join(", ");

/** A request with its headers. */
const buildRequest = (call: Call, userAgent: string): OutgoingRequest => {
  const { request, token, headers } = call;
  return {
    operation: request.operation,
    method: request.method,
    url: request.url,
    headers: {
      accept: "application/json",
      "accept-encoding": ACCEPTED,
      "user-agent": userAgent,
      ...(token && { authorization: `Bearer ${Redacted.value(token.token)}` }),
      ...(request.body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    body: request.body,
  };
};

/** The request that is about to be sent for hooks and logs, without the token. */
const requestInfo = (call: Call, { method, url, headers, body }: OutgoingRequest): RequestInfo => ({
  operation: call.request.operation,
  route: call.request.route,
  method,
  url,
  headers: { ...headers, ...(call.token && { authorization: "Bearer <redacted>" }) },
  body,
  attempts: call.attempts + 1,
});

/** Takes over what a response tells, and hands it to whoever reads it. */
const receive = (
  call: Call,
  incoming: IncomingResponse,
  maxBodyBytes: number,
  host: Host,
): ReceivedResponse => {
  const { status, headers } = incoming;
  const { attempt, attempts, request, waitedMillis } = call;
  attempt.status = status;
  attempt.headers = headers;
  attempt.isFirewallBlock = isFirewallBlock(status, headers);
  call.policy = headers["x-rate-limit-policy"] ?? call.policy;
  const { operation, route } = request;
  const { policy } = call;
  const requestId = headers["x-request-id"] ?? headers["cf-ray"];
  const info: ResponseInfo = {
    operation,
    route,
    attempts,
    status,
    headers,
    waitedMillis,
    policy,
    requestId,
  };
  call.response = info;
  return {
    incoming,
    info,
    callInfo: callInfo(call, requestId),
    maxBodyBytes,
    host,
    redact: (text) => withoutToken(call, text),
  };
};
