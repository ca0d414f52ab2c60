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
import type { FaultPlan } from "./FaultRules.ts";
import type { Facts } from "../journal/JournalEntry.ts";

interface FaultContext {
  readonly plan: FaultPlan;
  readonly hasSocket: boolean;
  /** OAuth endpoints have error bodies of another shape (RFC 6749 §5.2). */
  readonly isOAuth: boolean;
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

type Alter<Kind extends Fault["kind"]> = (
  response: ResponseOutput,
  fault: FaultOf<Kind>,
  context: FaultContext,
) => ResponseOutput;

/**
 * What each kind does to a response, in the order in which they do it, whichever rule was added
 * first: pages are edited before bytes are spoilt, for nobody edits a page that is cut.
 */
const ALTERATIONS: { readonly [Kind in Fault["kind"]]?: Alter<Kind> } = {
  changeId: (response, fault, { plan }) =>
    edited(response, (body) =>
      BodyFaults.withChangeId(body, fault, {
        requested: plan.requestedChangeId,
        earlier: plan.earlierChangeIds,
      }),
    ),
  duplicateChanges: (response) => edited(response, BodyFaults.withDuplicates),
  nullResult: (response) =>
    response.status === 200 ? edited(response, BodyFaults.withNullResult) : response,
  merge: (response, fault) => edited(response, (body) => BodyFaults.withMerged(body, fault)),
  members: (response, fault) => edited(response, (body) => BodyFaults.withMembers(body, fault)),
  nulls: (response, fault) => edited(response, (body) => BodyFaults.withNulls(body, fault)),
  malformedJson: (response, fault) => edited(response, (body) => BodyFaults.malformed(body, fault)),
  gzipCut: (response, { fraction = 0.5 }) => onWire(response, { kind: "gzipCut", fraction }),
  headers: (response, fault) => withFaultHeaders(response, fault),
  dribble: (response, fault) => onWire(response, fault),
  truncate: (response, fault, { hasSocket }) =>
    hasSocket
      ? onWire(response, { ...fault, ending: fault.ending ?? "close" })
      : needsConnection(fault),
  contentLength: (response, fault, { hasSocket }) =>
    hasSocket ? onWire(response, fault) : needsConnection(fault),
};

export const alterResponse = (response: ResponseOutput, context: FaultContext): ResponseOutput => {
  let altered = response;
  for (const [kind, alter] of Object.entries(ALTERATIONS))
    for (const { fault } of context.plan.fired)
      if (fault.kind === kind)
        altered = (alter as Alter<typeof fault.kind>)(altered, fault as never, context);
  return altered;
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

/**
 * The challenge page of a content delivery network: HTML where JSON was asked for, not one header of
 * the service, and the one by which a challenge can be told from a refusal. A client that retries it
 * makes things worse: people were locked out for that.
 */
const FIREWALL_PAGE: ResponseOutput = {
  status: 403,
  headers: {
    "content-type": "text/html; charset=UTF-8",
    "cache-control": "private, max-age=0, no-store",
    "cf-mitigated": "challenge",
  },
  body: `<!DOCTYPE html>
<html lang="en-US">
<head><title>Just a moment...</title><meta name="robots" content="noindex,nofollow"></head>
<body><h1>Checking your browser</h1><p>This page was made by the sandbox: no service stands behind it.</p></body>
</html>
`,
};
