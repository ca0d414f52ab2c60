/**
 * The last step: sends the request, hands the response to the call's handler, and turns an error
 * response into an error.
 */
import { ACCEPTED_CODINGS } from "@game-data/contract/inflate";
import { retryAfterMillis } from "@game-data/rate-limit";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import type * as Fiber from "effect/Fiber";
import * as Redacted from "effect/Redacted";
import type { RequestInfo, ResponseInfo } from "../CallOptions.ts";
import { InvalidRequest, Timeout, TransportError } from "../Errors.ts";
import type { GameApiError } from "../Errors.ts";
import { SendError } from "../Transport.ts";
import type { IncomingResponse, OutgoingRequest } from "../Transport.ts";
import { readText } from "./body.ts";
import { callInfo } from "./Call.ts";
import type { Call, Next, ReceivedResponse } from "./Call.ts";
import { Deadline } from "./Deadline.ts";
import { errorFromResponse, isFirewallBlock } from "./errorFromResponse.ts";
import { callHook } from "./Instruments.ts";
import type { Instruments } from "./Instruments.ts";
import type { PipelineOptions } from "./PipelineOptions.ts";
import { toMillis } from "./time.ts";

const MAX_ERROR_BODY_BYTES = 65_536;

export const send = (options: PipelineOptions): Next => {
  const { hooks, instruments, maxBodyBytes, transport, userAgent } = options;

  const respond = (
    call: Call,
    incoming: IncomingResponse,
    deadline: Deadline,
    fiber: Fiber.Fiber<unknown, unknown>,
  ) => {
    const received = receive(call, incoming, maxBodyBytes, deadline);
    callHook(hooks.onResponse, received.info, instruments, fiber);
    callHook(call.options.onResponse, received.info, instruments, fiber);
    return call.handler.accepts(incoming.status)
      ? call.handler.read(received)
      : refuse(call, received, deadline, instruments);
  };

  const announce = (call: Call, request: OutgoingRequest, fiber: Fiber.Fiber<unknown, unknown>) => {
    if (hooks.onRequest) {
      callHook(hooks.onRequest, requestInfo(call, request), instruments, fiber);
    }
    instruments.onRequest?.(() => requestInfo(call, request), fiber);
  };

  return (call) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.withFiber((fiber) => {
        const clock = fiber.getRef(Clock.Clock);
        const started = clock.currentTimeMillisUnsafe();
        const request = buildRequest(call, userAgent);
        call.attempts++;
        announce(call, request, fiber);
        call.attempt.sent = true;
        const deadline = new Deadline(
          toMillis(call.options.timeout, options.timeout),
          fiber,
          () => new Timeout({ ...callInfo(call), kind: "attempt" }),
        );
        const sending = deadline.race<IncomingResponse>((settle) =>
          transport(request, (result) => {
            if (result instanceof SendError) settle(Effect.fail(connectError(call, result)));
            else settle(Effect.succeed(result));
          }),
        );
        const exchanging = Effect.flatMap(restore(sending), (incoming) =>
          Effect.onExitPrimitive(
            restore(Effect.suspend(() => respond(call, incoming, deadline, fiber))),
            (exit) => {
              if (Exit.isSuccess(exit)) {
                const took = clock.currentTimeMillisUnsafe() - started;
                instruments.measure?.("durations", took, { route: call.request.route }, fiber);
                if (call.handler.streams) {
                  call.incoming = incoming;
                  return undefined;
                }
              }
              incoming.abort();
              return undefined;
            },
          ),
        );
        return Effect.onExitPrimitive(exchanging, () => {
          deadline.clear();
          return undefined;
        });
      }),
    );
};

/** A request with its headers. */
export const buildRequest = (call: Call, userAgent: string): OutgoingRequest => {
  const { request, token, headers } = call;
  return {
    operation: request.operation,
    method: request.method,
    url: request.url,
    headers: {
      accept: "application/json",
      "accept-encoding": ACCEPTED_CODINGS.join(", "),
      "user-agent": userAgent,
      ...(token && { authorization: `Bearer ${Redacted.value(token.token)}` }),
      ...(request.body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    body: request.body,
  };
};

const requestInfo = (call: Call, { method, url, headers, body }: OutgoingRequest): RequestInfo => ({
  operation: call.request.operation,
  route: call.request.route,
  method,
  url,
  headers: { ...headers, ...(call.token && { authorization: "Bearer <redacted>" }) },
  body,
  attempts: call.attempts,
});

const receive = (
  call: Call,
  incoming: IncomingResponse,
  limit: number,
  deadline: Deadline,
): ReceivedResponse => {
  const { status, headers } = incoming;
  call.attempt.status = status;
  call.attempt.headers = headers;
  call.attempt.isFirewallBlock = isFirewallBlock(status, headers);
  call.policy = headers["x-rate-limit-policy"] ?? call.policy;
  const { attempts, policy, request, waitedMillis } = call;
  const { operation, route } = request;
  const requestId = headers["x-request-id"] ?? headers["cf-ray"];
  const info: ResponseInfo = {
    operation,
    route,
    status,
    headers,
    attempts,
    waitedMillis,
    policy,
    requestId,
  };
  call.response = info;
  const facts = { ...callInfo(call), ...(requestId !== undefined && { requestId }) };
  const { token } = call;
  return {
    incoming,
    info,
    callInfo: facts,
    maxBodyBytes: limit,
    text: readText(incoming, limit, { ...facts, status }, deadline),
    redact: (text) => (token ? text.replaceAll(Redacted.value(token.token), "<redacted>") : text),
  };
};

/** The error of an error response; a body that can be read adds code and message. */
const refuse = (
  call: Call,
  { callInfo: facts, incoming, info, redact }: ReceivedResponse,
  deadline: Deadline,
  instruments: Instruments,
): Effect.Effect<never, GameApiError> =>
  Effect.withFiber((fiber) =>
    Effect.flatMap(
      Effect.orElseSucceed(readText(incoming, MAX_ERROR_BODY_BYTES, facts, deadline), () => ""),
      (body) => {
        const { headers, status } = info;
        const { token } = call;
        const now = fiber.getRef(Clock.Clock).currentTimeMillisUnsafe();
        const error = errorFromResponse(facts, {
          status,
          headers,
          body: redact(body),
          retryAfterMillis: retryAfterMillis(headers, now),
          scopesNeeded: call.request.scopes,
          scopesGranted: token?.scopes,
          hasToken: token !== undefined,
        });
        if (error._tag === "RateLimited") {
          const policy = facts.policy ?? "unknown";
          instruments.measure?.("violations", 1, { policy }, fiber);
        }
        return Effect.fail(error);
      },
    ),
  );

const connectError = (call: Call, { kind, detail, cause }: SendError): GameApiError =>
  kind === "request"
    ? new InvalidRequest({ ...callInfo(call), detail, cause })
    : new TransportError({ ...callInfo(call), kind: "connect", detail, cause });
