/** Decodes the text of a response into the checked value of an operation. */
import { bodies } from "@game-data/contract/results";
import { responseFromWire, type Route, type RouteName, routes } from "@game-data/contract/routes";
import * as Effect from "effect/Effect";
import {
  type CallInfo,
  type GameApiError,
  NotFound,
  ResponseMalformed,
  TransportError,
} from "../Errors.ts";
import { type Call, callInfo } from "./Call.ts";
import { errorDetails, errorInBody, parseJson } from "./errors.ts";

/** Turns responses of accepted statuses into values. */
export interface Decoder<A> {
  readonly accepts: (status: number) => boolean;
  readonly decode: (call: Call, text: string, status: number) => Effect.Effect<A, GameApiError>;
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;
export const isSuccessOrAbsent = (status: number): boolean => isSuccess(status) || status === 404;

/** Makes the decoder of an operation. `pick` makes the value of the checked body. */
export const operationDecoder = (
  operation: RouteName,
  pick: (body: any, status: number) => unknown,
): Decoder<unknown> => {
  const { isNullable, results }: Route = routes[operation];
  return {
    accepts: isNullable ? isSuccessOrAbsent : isSuccess,
    decode: (call, text, status) => {
      const json = parseJson(text);
      const result = results[status] ?? results[200] ?? "";
      // An absent thing may arrive as null with 404; any other 404 is an error.
      if (status === 404 && findProblem(result, json) !== undefined)
        return Effect.fail(new NotFound({ ...callInfo(call), ...errorDetails(call, json) }));
      if (json === undefined) return Effect.fail(notJson(callInfo(call), text));
      const value = responseFromWire(operation, json, call.shared.settings.words);
      const issue = findProblem(result, value);
      if (issue === undefined) return Effect.succeed(pick(value, status));
      return Effect.fail(
        errorInBody(call, json) ??
          new ResponseMalformed({ ...callInfo(call), reason: "shape", issue }),
      );
    },
  };
};

/** Decodes any JSON, for paths that the specification does not list. */
export const anyJson: Decoder<unknown> = {
  accepts: isSuccess,
  decode: (call, text, status) => {
    if (text === "" && status === 204) return Effect.succeed(null);
    const json = parseJson(text);
    if (json === undefined) return Effect.fail(notJson(callInfo(call), text));
    const error = errorInBody(call, json);
    return error === undefined ? Effect.succeed(json) : Effect.fail(error);
  },
};

const findProblem = (result: string, body: unknown): string | undefined => {
  const checked = bodies[result as keyof typeof bodies].safeDecode(body, { issues: 1 });
  return checked.ok ? undefined : checked.error.message;
};

const MAX_QUOTED_LENGTH = 40;

/** A document that broke off is the connection's fault and worth a retry. Other text is not. */
const notJson = (facts: CallInfo, text: string): GameApiError => {
  if (/^\s*(?:[{[]|$)/u.test(text)) {
    const detail = `no whole document in ${text.length} characters`;
    return new TransportError({ ...facts, reason: "body", detail });
  }
  const start = text.slice(0, MAX_QUOTED_LENGTH).replaceAll(/[^\P{C}\n\t]/gu, "?");
  return new ResponseMalformed({
    ...facts,
    reason: "not-json",
    issue: `not JSON: ${JSON.stringify(start)}`,
  });
};
