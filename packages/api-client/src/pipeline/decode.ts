/**
 * From the parameters of an operation to a request, and from its response to a value.
 *
 * Paths, parameters, scopes and result checks come from the contract's route table.
 */
import { bodies } from "@game-data/contract/results";
import {
  ParameterInvalid,
  requestTarget,
  requestToWire,
  responseFromWire,
  routeOf,
  routes,
} from "@game-data/contract/routes";
import type { Requests, Route, RouteName, Words } from "@game-data/contract/routes";
import { InvalidRequest, NotFound, ResponseMalformed, TransportError } from "../Errors.ts";
import type { CallInfo, GameApiError } from "../Errors.ts";
import { parseJson } from "./body.ts";
import { fail, succeed } from "./Call.ts";
import type { Outcome, PreparedRequest, ReceivedResponse } from "./Call.ts";
import { errorFromBody, parseErrorBody } from "./errorFromResponse.ts";

/** The service that requests go to. */
export interface ServiceAddress {
  /** The base URL, normalised, without a slash at its end. */
  readonly address: string;
  readonly words: Words;
}

/** The request of an operation. Parameters that the operation does not take are refused. */
export const buildCall = <Name extends RouteName>(
  service: ServiceAddress,
  operation: Name,
  request: Requests[Name],
  payload?: unknown,
): PreparedRequest | InvalidRequest => {
  const { method, route, scopes }: Route = routes[operation];
  try {
    return {
      operation,
      route,
      method,
      scopes,
      url: service.address + requestTarget(operation, request, service.words),
      rateLimitRoute: rateLimitRoute(operation, (request as { readonly realm?: string }).realm),
      ...(payload !== undefined && {
        body: JSON.stringify(requestToWire(operation, payload, service.words)),
      }),
    };
  } catch (cause) {
    return new InvalidRequest({
      operation,
      route,
      attempts: 0,
      detail:
        cause instanceof ParameterInvalid ? `${cause.parameter} ${cause.reason}` : String(cause),
      cause,
    });
  }
};

/** The limiter's name of a route: the two games have policies of their own. */
export const rateLimitRoute = (operation: RouteName, realm?: string | undefined): string =>
  `${routeOf(operation).route}${realm === "game2" ? " game2" : ""}`;

/** The checked body of a response. */
export const decodeBody = (
  operation: RouteName,
  words: Words,
  { callInfo, info, redact }: ReceivedResponse,
  body: string,
): Outcome => {
  const { headers, status } = info;
  const { results, scopes: scopesNeeded }: Route = routes[operation];
  const result = results[status] ?? results[200] ?? "";
  const json = parseJson(body);
  // An absent thing may come as null with 404; any other 404 is an error.
  if (status === 404 && checkResult(result, json) !== undefined) {
    const details = parseErrorBody(parseJson(redact(body)));
    return fail(new NotFound({ ...callInfo, status, ...details }));
  }
  if (json === undefined) return fail(notJson(callInfo, status, redact(body)));
  const value = responseFromWire(operation, json, words);
  const issue = checkResult(result, value);
  if (issue === undefined) return succeed(value);
  const response = { status, headers, scopesNeeded, scopesGranted: undefined };
  return fail(
    errorFromBody(callInfo, parseJson(redact(body)), response) ??
      new ResponseMalformed({ ...callInfo, status, kind: "shape", issue }),
  );
};

/** The first problem of a body; `undefined` if it has the documented shape. */
export const checkResult = (result: string, body: unknown): string | undefined => {
  const checked = bodies[result as keyof typeof bodies].safeDecode(body, { issues: 1 });
  return checked.ok ? undefined : checked.error.message;
};

/** The unchecked body of a response, for paths that the route table does not know. */
export const parseBody = (
  { callInfo, info: { headers, status }, redact }: ReceivedResponse,
  body: string,
): Outcome => {
  if (body === "" && status === 204) return succeed(null);
  const json = parseJson(body);
  if (json === undefined) return fail(notJson(callInfo, status, redact(body)));
  const response = { status, headers, scopesNeeded: [], scopesGranted: undefined };
  const error = parseErrorBody(json) && errorFromBody(callInfo, parseJson(redact(body)), response);
  return error === undefined ? succeed(json) : fail(error);
};

const SHOWN = 40;

/** The first characters, quoted so that none of them acts on a terminal. */
const beginning = (body: string): string => {
  const shown = JSON.stringify(body.slice(0, SHOWN).replaceAll(/[^\P{C}\n\t]/gu, "?"));
  return body.length > SHOWN ? `${shown}…` : shown;
};

/** A truncated document is the connection's fault and worth a retry. Other text is not. */
const notJson = (facts: CallInfo, status: number, body: string): GameApiError =>
  body.trim() === "" || isTruncated(body)
    ? new TransportError({
        ...facts,
        status,
        kind: "body",
        detail: body === "" ? "empty" : `cut off after ${body.length} characters`,
      })
    : new ResponseMalformed({
        ...facts,
        status,
        kind: "not-json",
        issue: `not JSON: ${beginning(body)}`,
      });

/**
 * Whether a text is the beginning of a JSON object or array. A `}` at its end does not prove that
 * it is whole, so this counts the brackets outside of strings.
 */
const isTruncated = (text: string): boolean => {
  if (!/^\s*[{[]/u.test(text)) return false;
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '"') {
      index = endOfString(text, index);
      if (index === -1) return true;
    } else if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") {
      depth--;
      if (depth < 0) return false;
    }
  }
  return depth > 0;
};

/** The index of the quote that ends the string at `start`; -1 if there is none. */
const endOfString = (text: string, start: number): number => {
  for (let index = start + 1; index < text.length; index++) {
    const character = text[index];
    if (character === "\\") index++;
    else if (character === '"') return index;
  }
  return -1;
};
