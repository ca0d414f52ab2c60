/**
 * What faults do to a request: `before` may answer in the place of the service, `after` spoils the
 * service's answer.
 */
import { errorCodeOfStatus, ErrorCode } from "@game-data/contract";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import type * as HttpServerRequest from "effect/http/HttpServerRequest";
import * as HttpServerResponse from "effect/http/HttpServerResponse";
import * as BodyFaults from "./BodyFaults.ts";
import type { DecodedResponse } from "./BodyFaults.ts";
import { FIREWALL_PAGE } from "./firewallPage.ts";
import type { Fault, FaultOf, RetryAfter } from "./Fault.ts";
import { chance } from "./FaultRules.ts";
import type { FaultPlan } from "./Faults.ts";
import { connectionOf, resetConnection, sendRaw } from "./rawConnection.ts";

/** The request that is hit. */
export interface FaultContext {
  readonly plan: FaultPlan;
  readonly request: HttpServerRequest.HttpServerRequest;
  /** OAuth endpoints have error bodies of another shape (RFC 6749 §5.2). */
  readonly isOAuth: boolean;
  /** The virtual present in milliseconds. */
  readonly now: number;
}

type Response = HttpServerResponse.HttpServerResponse;

/**
 * Waits, and answers in the place of the service if a fault says so; `undefined` lets the request
 * through.
 */
export const replaceResponse = Effect.fnUntraced(function* (
  context: FaultContext,
): Effect.fn.Return<Response | undefined> {
  for (const [index, { fault }] of context.plan.fired.entries()) {
    const answer = yield* beforeOne(fault, context, index);
    if (answer !== undefined) return answer;
  }
  return undefined;
});

const beforeOne = (
  fault: Fault,
  context: FaultContext,
  index: number,
): Effect.Effect<Response | undefined> => {
  switch (fault.kind) {
    case "delay":
      return Effect.as(
        Effect.interruptible(Effect.sleep(delayOf(fault, context, index))),
        undefined,
      );
    case "status":
      return Effect.succeed(statusAnswer(fault, context));
    case "firewallPage":
      return Effect.succeed(toResponse(FIREWALL_PAGE));
    case "reset": {
      const connection = connectionOf(context.request);
      return connection === undefined
        ? Effect.succeed(needsConnection(fault))
        : Effect.as(resetConnection(connection), connectionReset);
    }
    case "hang":
      // Ends when the client goes away or the server stops: both interrupt the request.
      return Effect.interruptible(Effect.never);
    default:
      return Effect.succeed(undefined);
  }
};

/** Spoils the service's answer. */
export const alterResponse = Effect.fnUntraced(function* (
  response: Response,
  context: FaultContext,
): Effect.fn.Return<Response> {
  const faults = context.plan.fired
    .map(({ fault }) => fault)
    .filter(changesAnswer)
    .toSorted((one, other) => STAGES.indexOf(one.kind) - STAGES.indexOf(other.kind));
  if (faults.length === 0) return response;
  let answer = yield* toPlain(response);
  for (const fault of faults) answer = corrupt(answer, fault, context.plan);
  const wire = faults.find(isWireFault);
  return wire === undefined ? toResponse(answer) : yield* send(answer, wire, context);
});

type BeforeFault = FaultOf<"delay" | "status" | "firewallPage" | "reset" | "hang">;
type WireFault = FaultOf<"truncate" | "contentLength" | "dribble">;

const BEFORE: ReadonlySet<Fault["kind"]> = new Set<BeforeFault["kind"]>([
  "delay",
  "status",
  "firewallPage",
  "reset",
  "hang",
]);

/**
 * Pages are edited before bytes are spoilt, whichever rule was added first: nobody edits a page
 * that is cut.
 */
const STAGES: ReadonlyArray<Fault["kind"]> = [
  "changeId",
  "duplicateChanges",
  "malformedJson",
  "gzipCut",
  "headers",
];

const changesAnswer = (fault: Fault): fault is Exclude<Fault, BeforeFault> =>
  !BEFORE.has(fault.kind);

const isWireFault = (fault: Fault): fault is WireFault =>
  fault.kind === "truncate" || fault.kind === "contentLength" || fault.kind === "dribble";

const corrupt = (
  answer: DecodedResponse,
  fault: Exclude<Fault, BeforeFault>,
  plan: FaultPlan,
): DecodedResponse => {
  switch (fault.kind) {
    case "malformedJson":
      return BodyFaults.malformed(answer, fault);
    case "gzipCut":
      return BodyFaults.cutGzip(answer, fault);
    case "changeId":
      return BodyFaults.withChangeId(answer, fault, {
        requested: plan.requestedChangeId,
        earlier: plan.earlierChangeIds,
      });
    case "duplicateChanges":
      return BodyFaults.withDuplicates(answer);
    case "headers":
      return withHeaders(answer, fault);
    default:
      return answer;
  }
};

const withHeaders = (answer: DecodedResponse, { remove = [], set = {} }: FaultOf<"headers">) => {
  const gone = new Set(remove.map((name) => name.toLowerCase()));
  const kept = Object.entries(answer.headers).filter(([name]) => !gone.has(name));
  const added = Object.entries(set).map(([name, value]) => [name.toLowerCase(), value] as const);
  return { ...answer, headers: Object.fromEntries([...kept, ...added]) };
};

const send = (
  answer: DecodedResponse,
  fault: WireFault,
  { request }: FaultContext,
): Effect.Effect<Response> => {
  if (fault.kind === "dribble") return Effect.succeed(dribble(answer, fault));
  const connection = connectionOf(request);
  if (connection === undefined) return Effect.succeed(needsConnection(fault));
  const { length } = answer.body;
  const raw =
    fault.kind === "truncate"
      ? {
          announcedLength: length,
          // At least one byte is missing, or nothing would be cut.
          sentBytes: Math.min(fault.atByte, Math.max(0, length - 1)),
          ending: fault.ending ?? "close",
        }
      : {
          announcedLength: Math.max(0, length + fault.differsBy),
          sentBytes: length,
          ending: "close" as const,
        };
  // Effect's server writes nothing to a connection that is gone: this answer is for the journal
  // alone.
  return Effect.as(
    sendRaw(connection, { answer, ...raw }),
    HttpServerResponse.empty({ status: answer.status }),
  );
};

const dribble = (
  { body, headers, status }: DecodedResponse,
  { bytes, everyMilliseconds }: FaultOf<"dribble">,
): Response => {
  const pieces = Array.from({ length: Math.ceil(body.length / bytes) }, (_, index) =>
    body.subarray(index * bytes, (index + 1) * bytes),
  );
  const slowly = Stream.fromIterable(pieces).pipe(
    Stream.rechunk(1),
    Stream.tap(() => Effect.sleep(everyMilliseconds)),
  );
  const { "content-type": contentType, ...rest } = headers;
  return HttpServerResponse.stream(slowly, {
    status,
    headers: rest,
    ...(contentType === undefined ? {} : { contentType }),
  });
};

/**
 * The delay of one fault: fixed, plus a share of the jitter that depends on its place among the
 * rules and the virtual time.
 */
const delayOf = (
  { jitterMilliseconds = 0, milliseconds }: FaultOf<"delay">,
  { now }: FaultContext,
  index: number,
): number => milliseconds + Math.floor(chance(now, index) * jitterMilliseconds);

const statusAnswer = (fault: FaultOf<"status">, { isOAuth, now }: FaultContext): Response => {
  const body = fault.body ?? defaultBody(fault.status, isOAuth);
  const isText = typeof body === "string";
  return toResponse({
    status: fault.status,
    headers: {
      "content-type": isText ? "text/plain; charset=utf-8" : "application/json",
      ...(fault.retryAfter === undefined
        ? {}
        : { "retry-after": retryAfter(fault.retryAfter, now) }),
      ...Object.fromEntries(
        Object.entries(fault.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
      ),
    },
    body: new TextEncoder().encode(isText ? body : JSON.stringify(body)),
  });
};

const retryAfter = (value: RetryAfter, now: number): string => {
  if (typeof value === "object") return new Date(now + value.date * 1000).toUTCString();
  return String(value);
};

const defaultBody = (status: number, isOAuth: boolean) => {
  if (isOAuth) return { error: oauthError(status), error_description: "A fault of the sandbox." };
  const code = errorCodeOfStatus(status) ?? ErrorCode.InternalError;
  return { error: { code, message: "A fault of the sandbox" } };
};

const oauthError = (status: number): string => {
  if (status === 429 || status === 503) return "temporarily_unavailable";
  if (status === 401) return "invalid_client";
  return status < 500 ? "invalid_request" : "server_error";
};

const needsConnection = ({ kind }: Fault): Response =>
  HttpServerResponse.jsonUnsafe(
    {
      error: {
        code: ErrorCode.InternalError,
        message: `The fault "${kind}" needs a real connection; this sandbox runs without a port`,
      },
    },
    { status: 501 },
  );

/** Stands for the answer to a connection that was reset. */
export const connectionReset: Response = HttpServerResponse.empty({ status: 204 });

const toPlain = (response: Response): Effect.Effect<DecodedResponse> =>
  Effect.contextWith((context) =>
    Effect.promise(async () => {
      const web = HttpServerResponse.toWeb(response, { context });
      return {
        status: web.status,
        headers: Object.fromEntries(web.headers),
        body: new Uint8Array(await web.arrayBuffer()),
      };
    }),
  );

const toResponse = ({ body, headers, status }: DecodedResponse): Response => {
  const { "content-length": _, "content-type": contentType, ...rest } = headers;
  if (body.length === 0) return HttpServerResponse.empty({ status, headers: rest });
  return HttpServerResponse.uint8Array(body, {
    status,
    headers: rest,
    ...(contentType === undefined ? {} : { contentType }),
  });
};
