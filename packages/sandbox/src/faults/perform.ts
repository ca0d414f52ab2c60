/**
 * Performs the faults of a request: `replace` before the service sees it, `alter` on its response,
 * and `transmit` on the bytes as they are sent.
 */
import { errorCodeOfStatus, ErrorCode } from "@game-data/contract/ErrorCode";
import * as Effect from "effect/Effect";
import * as Body from "effect/http/HttpBody";
import * as Response from "effect/http/HttpServerResponse";
import * as Stream from "effect/Stream";
import { notImplemented } from "../http/errors.ts";
import type { BrokenBody, Exchange } from "../http/Exchange.ts";
import { parseJson } from "../internal/encoding.ts";
import { editBody, malformed } from "./BodyFaults.ts";
import type { Fault, FaultOf } from "./Fault.ts";
import { chance, type Fired } from "./FaultRules.ts";

type Answer = Response.HttpServerResponse;

const find = <Kind extends Fault["kind"]>(
  { faults }: Fired,
  kind: Kind,
): FaultOf<Kind> | undefined =>
  faults.find(({ fault }) => fault.kind === kind)?.fault as FaultOf<Kind> | undefined;

/** Waits for a delay, and answers in the place of the service if a fault says so. */
export const replace = Effect.fnUntraced(function* ({ faults }: Fired, exchange: Exchange) {
  for (const [index, { fault }] of faults.entries()) {
    switch (fault.kind) {
      case "delay": {
        const { jitterMilliseconds: jitter = 0, milliseconds } = fault;
        yield* Effect.sleep(milliseconds + Math.floor(chance(exchange.now, index) * jitter));
        break;
      }
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

/** Changes the service's response: its JSON value, the text of its body, its headers. */
export const alter = (response: Answer, fired: Fired): Answer => {
  const { body, status } = response;
  const text = body._tag === "Uint8Array" ? (body.text ?? decode(body.body)) : "";
  const value = parseJson(text);
  const edits = fired.faults.filter(({ fault }) => fault.kind !== "nullResult" || status === 200);
  const edited = edits.reduce((before, { fault }) => editBody(before, fault, fired), value);
  const damage = find(fired, "malformedJson");
  const json = edited === value ? text : JSON.stringify(edited);
  const sent = damage === undefined ? json : malformed(json, damage);
  const contentType = response.headers["content-type"];
  let altered = sent === text ? response : Response.setBody(response, Body.text(sent, contentType));
  for (const { fault } of fired.faults) {
    if (fault.kind !== "headers") continue;
    for (const name of fault.remove ?? []) altered = Response.removeHeader(altered, name);
    altered = Response.setHeaders(altered, fault.set ?? {});
  }
  return altered;
};

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Corrects the facts for the journal if a fault changed the id of a page. */
export const correctFacts = ({ facts }: Exchange, fired: Fired): void => {
  const fault = find(fired, "changeId");
  if (fault === undefined || fired.requestedId === undefined) return;
  const isKept = fault.mode === "same" || fault.mode === "end";
  facts.nextCursor = isKept ? facts.cursor : undefined;
  if (fault.mode === "end") facts.isEmpty = true;
};

/** Sends bytes in pieces, fewer bytes than were announced, or a coded body that ends early. */
export const transmit = Effect.fnUntraced(function* (
  response: Answer,
  fired: Fired,
  { connection: { wire } }: Exchange,
) {
  const cut = find(fired, "gzipCut");
  const whole = response.body._tag === "Uint8Array" ? response.body.body : new Uint8Array();
  // Leave out at least one byte, so that something is cut.
  const left = Math.min(whole.length - 1, Math.floor(whole.length * (cut?.fraction ?? 0.5)));
  const bytes = cut === undefined ? whole : whole.subarray(0, left);
  const truncate = find(fired, "truncate");
  const wrongLength = find(fired, "contentLength");
  const breaking = truncate ?? wrongLength;
  if (breaking !== undefined) {
    if (wire === undefined) return yield* needsConnection(breaking);
    wire.sendBroken(response, bytes, brokenBody(breaking, bytes.length));
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

const brokenBody = (
  fault: FaultOf<"truncate"> | FaultOf<"contentLength">,
  length: number,
): BrokenBody =>
  fault.kind === "truncate"
    ? {
        announced: length,
        sent: Math.min(fault.atByte, Math.max(0, length - 1)),
        ending: fault.ending ?? "close",
      }
    : { announced: Math.max(0, length + fault.differsBy), sent: length, ending: "close" };

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
  notImplemented(`The fault "${kind}" needs a real connection; this sandbox runs without a port`);

/** The challenge page of a content delivery network in front of the service. */
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
      // Distinguishes a challenge of the firewall from a refusal of the service.
      "cf-mitigated": "challenge",
    },
  },
);
