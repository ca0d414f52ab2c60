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
import { makeRecord, type PlainRecord, type Shape } from "../PlainRecord.ts";

/** What went wrong, in the body of a data endpoint. */
export interface ErrorObject {
  /** Decide on this. */
  readonly code: number;
  /** For people; may change. */
  readonly message: string;
}

const shape: Shape = { code: "u", message: "s" };

/** What went wrong, in the body of a data endpoint. */
export const ErrorObject: PlainRecord<ErrorObject> = /*#__PURE__*/ makeRecord(
  "ErrorObject",
  shape,
  check,
);

/** The check alone; `depth` counts how deep the record is nested in itself. */
export function check(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
    if (key === "code") {
      if (!(Number.isSafeInteger(member) && (member as number) >= 0)) return false;
      required++;
    } else if (key === "message") {
      if (!(typeof member === "string")) return false;
      required++;
    }
  }
  return required === 2;
}
