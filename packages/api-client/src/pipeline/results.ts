/** Checks of result bodies by name. */
import * as Contract from "@game-data/contract";
import * as Schemas from "@game-data/schemas/effect";
import type { RouteName, Words } from "@game-data/contract/routes";
import * as Exit from "effect/Exit";
import * as Schema from "effect/Schema";

const decoders = new Map<string, (body: unknown) => Exit.Exit<unknown, unknown>>();
const decoderOf = (result: string) => {
  let decode = decoders.get(result);
  if (decode === undefined) {
    const schemas: Readonly<Record<string, unknown>> = { ...Schemas, ...Contract };
    decode = Schema.decodeUnknownExit(schemas[result] as Schema.Codec<unknown>);
    decoders.set(result, decode);
  }
  return decode;
};

/** The first problem of a body; `undefined` if it has the documented shape. */
export const checkResult = (result: string, body: unknown): string | undefined => {
  const exit = decoderOf(result)(body);
  if (Exit.isSuccess(exit)) return undefined;
  const error = Exit.findErrorOption(exit);
  return error._tag === "Some" ? String((error.value as Error).message) : "undecodable";
};

const infoOf = (operation: RouteName) => {
  const [group, name] = operation.split(".") as [never, never];
  return Contract.endpointInfo(group, name);
};

/** A request's JSON body in the deployment's realm names. */
export const requestToWire = (operation: RouteName, body: unknown, words: Words): unknown =>
  Contract.requestToWire(infoOf(operation), body, words);

/** A response's body in the specification's realm names. */
export const resultFromWire = (operation: RouteName, body: unknown, words: Words): unknown =>
  Contract.responseFromWire(infoOf(operation), body, words);
