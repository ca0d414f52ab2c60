/**
 * Performs the faults of a request: `replaceResponse` may answer in the place of the service,
 * `alterResponse` changes the service's response. Delays and effects on the connection are left to
 * the adapter as `WireEffect`s.
 */
import { ErrorCode, errorCodeOfStatus } from "../contract.ts";
import { json, type ResponseOutput, type WireEffect } from "../http/messages.ts";
import * as BodyFaults from "./BodyFaults.ts";
import type { Fault, FaultOf, RetryAfter } from "./Fault.ts";
import { chance } from "./FaultRules.ts";
import type { FaultPlan } from "./Faults.ts";
import { FIREWALL_PAGE } from "./firewallPage.ts";
import type { Facts } from "../journal/JournalEntry.ts";

/** The request that is hit. */
interface FaultContext {
  readonly plan: FaultPlan;
  /** Whether the adapter can cut the connection. */
  readonly hasSocket: boolean;
  /** OAuth endpoints have error bodies of another shape (RFC 6749 §5.2). */
  readonly isOAuth: boolean;
  /** The virtual present in milliseconds. */
  readonly now: number;
}

/** Effects before the service: the delays, and a response in its place, if there is one. */
interface Replacement {
  readonly delays: ReadonlyArray<WireEffect>;
  readonly response: ResponseOutput | undefined;
}

/** Collects the delays up to the first fault that answers by itself. */
export const replaceResponse = (context: FaultContext): Replacement => {
  const delays: Array<WireEffect> = [];
  for (const [index, { fault }] of context.plan.fired.entries()) {
    if (fault.kind === "delay") {
      delays.push({ kind: "delay", milliseconds: delayOf(fault, context, index) });
      continue;
    }
    const response = replacementOf(fault, context);
    if (response !== undefined) return { delays, response };
  }
  return { delays, response: undefined };
};

const replacementOf = (fault: Fault, context: FaultContext): ResponseOutput | undefined => {
  switch (fault.kind) {
    case "status":
      return statusResponse(fault, context);
    case "firewallPage":
      return FIREWALL_PAGE;
    case "reset":
      return context.hasSocket ? unanswered({ kind: "reset" }) : needsConnection(fault);
    case "hang":
      return unanswered({ kind: "hang" });
    default:
      return undefined;
  }
};

const unanswered = (effect: WireEffect): ResponseOutput => ({
  status: 204,
  headers: {},
  body: "",
  wire: [effect],
});

/** Whether a response is none: the connection is cut or never answered. */
export const isUnanswered = ({ wire = [] }: ResponseOutput): boolean =>
  wire.some(({ kind }) => kind === "reset" || kind === "hang");

/** Changes the service's response. */
export const alterResponse = (response: ResponseOutput, context: FaultContext): ResponseOutput => {
  const faults = context.plan.fired
    .map(({ fault }) => fault)
    .filter(({ kind }) => STAGES.includes(kind))
    .toSorted((one, other) => STAGES.indexOf(one.kind) - STAGES.indexOf(other.kind));
  let altered = response;
  for (const fault of faults) altered = corrupt(altered, fault, context);
  return altered;
};

/**
 * Pages are edited before bytes are spoilt, whichever rule was added first: nobody edits a page
 * that is cut.
 */
const STAGES: ReadonlyArray<Fault["kind"]> = [
  "changeId",
  "duplicateChanges",
  "nullResult",
  "members",
  "nulls",
  "malformedJson",
  "gzipCut",
  "headers",
  "dribble",
  "truncate",
  "contentLength",
];

const corrupt = (response: ResponseOutput, fault: Fault, context: FaultContext): ResponseOutput => {
  const { plan } = context;
  switch (fault.kind) {
    case "changeId":
      return edited(response, (body) =>
        BodyFaults.withChangeId(body, fault, {
          requested: plan.requestedChangeId,
          earlier: plan.earlierChangeIds,
        }),
      );
    case "duplicateChanges":
      return edited(response, BodyFaults.withDuplicates);
    case "nullResult":
      return response.status === 200 ? edited(response, BodyFaults.withNullResult) : response;
    case "members":
      return edited(response, (body) => BodyFaults.withMembers(body, fault));
    case "nulls":
      return edited(response, (body) => BodyFaults.withNulls(body, fault));
    case "malformedJson":
      return edited(response, (body) => BodyFaults.malformed(body, fault));
    case "gzipCut":
      return onWire(response, { kind: "gzipCut", fraction: fault.fraction ?? 0.5 });
    case "headers":
      return withFaultHeaders(response, fault);
    case "dribble":
      return onWire(response, fault);
    case "truncate":
      return context.hasSocket
        ? onWire(response, { ...fault, ending: fault.ending ?? "close" })
        : needsConnection(fault);
    case "contentLength":
      return context.hasSocket ? onWire(response, fault) : needsConnection(fault);
    default:
      return response;
  }
};

/** Makes the journal say what the client was told, where a fault changed the id of a page. */
export const correctFacts = (facts: Facts, { fired, requestedChangeId }: FaultPlan): void => {
  for (const { fault } of fired) {
    if (fault.kind !== "changeId" || requestedChangeId === undefined) continue;
    const isKept = fault.mode === "same" || fault.mode === "end";
    facts.nextCursor = isKept ? facts.cursor : undefined;
    if (fault.mode === "end") facts.isEmpty = true;
  }
};

/** A response with another body; it is neither compressed nor kept. */
const edited = (response: ResponseOutput, edit: (body: string) => string): ResponseOutput => {
  const { body, cacheKey: _, ...rest } = response;
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  return { ...rest, mayCompress: false, body: edit(text) };
};

const onWire = (response: ResponseOutput, effect: WireEffect): ResponseOutput => ({
  ...response,
  wire: [...(response.wire ?? []), effect],
});

const withFaultHeaders = (
  response: ResponseOutput,
  { remove = [], set = {} }: FaultOf<"headers">,
): ResponseOutput => {
  const gone = new Set(remove.map((name) => name.toLowerCase()));
  const kept = Object.entries(response.headers).filter(([name]) => !gone.has(name));
  const added = Object.entries(set).map(([name, value]) => [name.toLowerCase(), value] as const);
  return { ...response, headers: Object.fromEntries([...kept, ...added]) };
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

const statusResponse = (
  fault: FaultOf<"status">,
  { isOAuth, now }: FaultContext,
): ResponseOutput => {
  const body = fault.body ?? defaultBody(fault.status, isOAuth);
  const isText = typeof body === "string";
  return {
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
    body: isText ? body : JSON.stringify(body),
  };
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

const needsConnection = ({ kind }: Fault): ResponseOutput =>
  json(
    {
      error: {
        code: ErrorCode.InternalError,
        message: `The fault "${kind}" needs a real connection; this sandbox runs without a port`,
      },
    },
    501,
  );
