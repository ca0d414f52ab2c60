/**
 * What went wrong, in the body of a data endpoint.
 *
 * Generated from the schema of `ErrorObject` by `pnpm generate`. Not to be edited.
 *
 * @example
 * ```ts
 * import { ErrorObject } from "@game-data/schemas";
 *
 * const result = ErrorObject.safeDecode(null);
 * if (result.ok) throw new Error("null is no ErrorObject");
 * ```
 */
import { makeRecord, type PlainRecord } from "../PlainRecord.ts";
import { isObject, isUint } from "../tests.ts";

/** What went wrong, in the body of a data endpoint. */
export interface ErrorObject {
  /** Decide on this. */
  readonly code: number;
  /** For people; may change. */
  readonly message: string;
}

/** What went wrong, in the body of a data endpoint. */
export const ErrorObject: PlainRecord<ErrorObject> = /*#__PURE__*/ makeRecord(
  "ErrorObject",
  { code: "u", message: "s" },
  check,
);

/** The check alone; `depth` counts how deep the record is nested in itself. */
export function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "code") {
      if (!isUint(member)) return false;
      required++;
    } else if (key === "message") {
      if (!(typeof member === "string")) return false;
      required++;
    }
  }
  return required === 2;
}
