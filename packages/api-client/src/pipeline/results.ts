/** Checks of result bodies by name. */
import * as Contract from "@game-data/contract";
import type { EndpointInfo, RouteName, Words } from "@game-data/contract";
import * as Exit from "effect/Exit";
import * as Schema from "effect/Schema";

const decoders = new Map<string, (body: unknown) => Exit.Exit<unknown, unknown>>();
const decoderOf = (result: string) => {
  let decode = decoders.get(result);
  if (decode === undefined) {
    const schemas: Readonly<Record<string, unknown>> = { ...Contract };
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
