/**
 * ErrorBody.
 *
 * Generated from the schema of `ErrorBody` by `pnpm generate`. Not to be edited.
 */
import { makeRecord, type PlainRecord, isObject } from "@game-data/schemas/PlainRecord";
import { ErrorObject } from "@game-data/schemas/ErrorObject";

/** ErrorBody. */
export interface ErrorBody {
  readonly error: ErrorObject;
}

/** ErrorBody. */
export const ErrorBody: PlainRecord<ErrorBody> = /*#__PURE__*/ makeRecord(
  "ErrorBody",
  { error: ["@", ErrorObject] },
  check,
);

function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "error") {
      if (!ErrorObject.is(member)) return false;
      required++;
    }
  }
  return required === 1;
}
