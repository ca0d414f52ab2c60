/**
 * Performs the faults of a request: `replace` before the service sees it, `alter` on its response,
 * and `transmit` on the bytes as they are sent.
 */
import * as Effect from "effect/Effect";
import * as Body from "effect/http/HttpBody";
import * as Response from "effect/http/HttpServerResponse";
import * as Stream from "effect/Stream";
import { ErrorCode, errorCodeOfStatus } from "../contract.ts";
import { dataFailure } from "../http/errors.ts";
import type { BrokenBody, Exchange } from "../http/Exchange.ts";
import * as BodyFaults from "./BodyFaults.ts";
import type { Fault, FaultOf } from "./Fault.ts";
import { chance, type FiredFault } from "./FaultRules.ts";

type Fired = ReadonlyArray<FiredFault>;
type Answer = Response.HttpServerResponse;

/** The change id that a request asks for, and those that its client asked for before. */
export interface Cursor {
  readonly requested: string | undefined;
  /** Oldest first. */
  readonly earlier: ReadonlyArray<string>;
}

const find = <Kind extends Fault["kind"]>(fired: Fired, kind: Kind): FaultOf<Kind> | undefined =>
  fired.find(({ fault }) => fault.kind === kind)?.fault as FaultOf<Kind> | undefined;

/** Waits, and answers in the place of the service if a fault says so. */
export const replace = Effect.fnUntraced(function* (fired: Fired, exchange: Exchange) {
  for (const [index, { fault }] of fired.entries()) {
    switch (fault.kind) {
      case "delay":
        yield* Effect.sleep(fault.milliseconds + jitter(fault, exchange.now, index));
        break;
      case "hang":
        return yield* Effect.never;
      case "reset":
        if (exchange.connection.wire === undefined) return yield* needsConnection(fault);
        exchange.connection.wire.reset();
        return yield* Effect.never;
      case "firewallPage":
        return FIREWALL_PAGE;
      case "status":
        return statusAnswer(fault, exchange);
    }
  }
  return undefined;
});

/** A share of the jitter that depends on the place among the rules and on the virtual time. */
const jitter = ({ jitterMilliseconds = 0 }: FaultOf<"delay">, now: number, index: number): number =>
  Math.floor(chance(now, index) * jitterMilliseconds);

interface EditContext {
  readonly cursor: Cursor;
  readonly status: number;
}

/** What each kind does to the text of a body, in this order: pages are edited before bytes are spoilt. */
const EDITS: {
  readonly [Kind in Fault["kind"]]?: (
    body: string,
    fault: FaultOf<Kind>,
    context: EditContext,
  ) => string;
} = {
  changeId: (body, fault, { cursor }) => BodyFaults.withChangeId(body, fault, cursor),
  duplicateChanges: (body) => BodyFaults.withDuplicates(body),
  nullResult: (body, _, { status }) => (status === 200 ? BodyFaults.withNullResult(body) : body),
  merge: (body, fault) => BodyFaults.withMerged(body, fault),
  members: (body, fault) => BodyFaults.withMembers(body, fault),
  nulls: (body, fault) => BodyFaults.withNulls(body, fault),
  malformedJson: (body, fault) => BodyFaults.malformed(body, fault),
};

/** Changes the service's response. */
export const alter = (response: Answer, fired: Fired, cursor: Cursor): Answer => {
  const { body, status } = response;
  const text = body._tag === "Uint8Array" ? (body.text ?? decode(body.body)) : "";
  let edited = text;
  for (const [kind, edit] of Object.entries(EDITS))
    for (const { fault } of fired)
      if (fault.kind === kind)
        edited = (edit as (body: string, fault: Fault, context: EditContext) => string)(
          edited,
          fault,
          { cursor, status },
        );
  const contentType = response.headers["content-type"];
  let altered =
    edited === text ? response : Response.setBody(response, Body.text(edited, contentType));
  for (const { fault } of fired) {
    if (fault.kind !== "headers") continue;
    for (const name of fault.remove ?? []) altered = Response.removeHeader(altered, name);
    altered = Response.setHeaders(altered, fault.set ?? {});
  }
  return altered;
};

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Makes the journal say what the client was told, if a fault changed the id of a page. */
export const correctFacts = ({ facts }: Exchange, fired: Fired, { requested }: Cursor): void => {
  for (const { fault } of fired) {
    if (fault.kind !== "changeId" || requested === undefined) continue;
    const isKept = fault.mode === "same" || fault.mode === "end";
    facts.nextCursor = isKept ? facts.cursor : undefined;
    if (fault.mode === "end") facts.isEmpty = true;
  }
};

/** Whether a fault ends a body early. */
export const isCut = (fired: Fired): boolean =>
  fired.some(({ fault }) => fault.kind === "truncate" || fault.kind === "gzipCut");

/** Whether a fault needs a body in gzip. */
export const needsGzip = (fired: Fired): boolean => find(fired, "gzipCut") !== undefined;

/** Sends bytes in pieces, fewer bytes than were announced, or a coded body that ends early. */
export const transmit = Effect.fnUntraced(function* (
  response: Answer,
  fired: Fired,
  { connection: { wire } }: Exchange,
) {
  if (fired.length === 0) return response;
  const cut = find(fired, "gzipCut");
  const whole = response.body._tag === "Uint8Array" ? response.body.body : new Uint8Array();
  const bytes = cut === undefined ? whole : shorter(whole, cut.fraction ?? 0.5);
  const how = brokenBody(fired, bytes.length);
  if (how !== undefined) {
    if (wire === undefined)
      return yield* needsConnection(find(fired, "truncate") ?? find(fired, "contentLength")!);
    wire.sendBroken(response, bytes, how);
    return yield* Effect.never;
  }
  const contentType = response.headers["content-type"];
  const dribble = find(fired, "dribble");
  if (dribble !== undefined) {
    const stream = Stream.fromIterable(pieces(bytes, dribble.bytes)).pipe(
      Stream.rechunk(1),
      Stream.tap(() => Effect.sleep(dribble.everyMilliseconds)),
    );
    const sent = Response.setBody(response, Body.stream(stream, contentType));
    return Response.removeHeader(sent, "content-length");
  }
  return cut === undefined
    ? response
    : Response.setBody(response, Body.uint8Array(bytes, contentType));
});

/** At least one byte is missing, or nothing would be cut. */
const shorter = (bytes: Uint8Array, fraction: number): Uint8Array =>
  bytes.subarray(0, Math.min(bytes.length - 1, Math.floor(bytes.length * fraction)));

const brokenBody = (fired: Fired, length: number): BrokenBody | undefined => {
  const truncate = find(fired, "truncate");
  if (truncate !== undefined)
    return {
      announced: length,
      sent: Math.min(truncate.atByte, Math.max(0, length - 1)),
      ending: truncate.ending ?? "close",
    };
  const wrong = find(fired, "contentLength");
  return (
    wrong && { announced: Math.max(0, length + wrong.differsBy), sent: length, ending: "close" }
  );
};

const pieces = (bytes: Uint8Array, size: number): ReadonlyArray<Uint8Array> =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );

const statusAnswer = (
  { body, headers = {}, retryAfter, status }: FaultOf<"status">,
  exchange: Exchange,
): Answer => {
  const value = body ?? defaultBody(status, exchange.match?.name?.startsWith("oauth.") === true);
  const wait =
    typeof retryAfter === "object"
      ? new Date(exchange.now + retryAfter.date * 1000).toUTCString()
      : retryAfter;
  const all = { ...(wait !== undefined && { "retry-after": String(wait) }), ...headers };
  return typeof value === "string"
    ? Response.text(value, { status, headers: all, contentType: "text/plain; charset=utf-8" })
    : Response.jsonUnsafe(value, { status, headers: all });
};

const OAUTH_ERRORS: Readonly<Record<number, string>> = {
  401: "invalid_client",
  429: "temporarily_unavailable",
  503: "temporarily_unavailable",
};

const defaultBody = (status: number, isOAuth: boolean) => {
  if (isOAuth)
    return {
      error: OAUTH_ERRORS[status] ?? (status < 500 ? "invalid_request" : "server_error"),
      error_description: "A fault of the sandbox.",
    };
  const code = errorCodeOfStatus(status) ?? ErrorCode.InternalError;
  return { error: { code, message: "A fault of the sandbox" } };
};

const needsConnection = ({ kind }: Fault) =>
  dataFailure(
    501,
    ErrorCode.InternalError,
    `The fault "${kind}" needs a real connection; this sandbox runs without a port`,
  );

/**
 * The challenge page of a content delivery network: HTML instead of JSON, no header of the service,
 * and the header by which a challenge can be told from a refusal.
 */
const FIREWALL_PAGE = Response.text(
  `<!DOCTYPE html>
<html lang="en-US">
<head><title>Just a moment...</title><meta name="robots" content="noindex,nofollow"></head>
<body><h1>Checking your browser</h1><p>This page was made by the sandbox: no service stands behind it.</p></body>
</html>
`,
  {
    status: 403,
    contentType: "text/html; charset=UTF-8",
    headers: {
      "cache-control": "private, max-age=0, no-store",
      "cf-mitigated": "challenge",
    },
  },
);
