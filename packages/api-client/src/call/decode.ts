/** Decodes the text of a response into the checked value of an operation. */
import { bodies } from "@game-data/contract/results";
import { responseFromWire, type Route, type RouteName, routes } from "@game-data/contract/routes";
import * as Effect from "effect/Effect";
import { type GameApiError, NotFound, ResponseMalformed, TransportError } from "../Errors.ts";
import { type Call, callInfo } from "./Call.ts";
import { errorDetails, errorInBody, parseJson } from "./errors.ts";

/** Turns responses of accepted statuses into values. */
export interface Decoder {
  readonly accepts: (status: number) => boolean;
  readonly decode: (
    call: Call,
    text: string,
    status: number,
  ) => Effect.Effect<unknown, GameApiError>;
}

/** Whether a status of an operation is a value; 404 is the value of an absent thing (§7). */
export const accepts =
  (operation: RouteName) =>
  (status: number): boolean =>
    isSuccess(status) || (status === 404 && (routes[operation] as Route).isNullable === true);

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** Makes the decoder of an operation. `pick` makes the value of the checked body. */
export const operationDecoder = (
  operation: RouteName,
  pick: (body: any, status: number) => unknown,
): Decoder => {
  const { results }: Route = routes[operation];
  return {
    accepts: accepts(operation),
    decode: (call, text, status) => {
      const json = parseJson(text);
      const result = results[status] ?? results[200] ?? "";
      // An absent thing may arrive as null with 404; any other 404 is an error.
      if (status === 404 && findProblem(result, json) !== undefined)
        return Effect.fail(new NotFound({ ...callInfo(call), ...errorDetails(call, json) }));
      if (json === undefined) return Effect.fail(notJson(call, text));
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
export const anyJson: Decoder = {
  accepts: isSuccess,
  decode: (call, text, status) => {
    if (text === "" && status === 204) return Effect.succeed(null);
    const json = parseJson(text);
    const error = json === undefined ? notJson(call, text) : errorInBody(call, json);
    return error === undefined ? Effect.succeed(json) : Effect.fail(error);
  },
};

const findProblem = (result: string, body: unknown): string | undefined => {
  const checked = bodies[result as keyof typeof bodies].safeDecode(body, { issues: 1 });
  return checked.ok ? undefined : checked.error.message;
};

const MAX_QUOTED_LENGTH = 40;

/** A document that broke off is the connection's fault and worth a retry. Other text is not. */
const notJson = (call: Call, text: string): GameApiError => {
  if (/^\s*(?:[{[]|$)/u.test(text)) {
    const detail = `no whole document in ${text.length} characters`;
    return new TransportError({ ...callInfo(call), reason: "body", detail });
  }
  const start = text.slice(0, MAX_QUOTED_LENGTH).replaceAll(/[^\P{C}\n\t]/gu, "?");
  const issue = `not JSON: ${JSON.stringify(start)}`;
  return new ResponseMalformed({ ...callInfo(call), reason: "not-json", issue });
};
