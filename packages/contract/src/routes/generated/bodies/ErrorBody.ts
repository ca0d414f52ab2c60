/**
 * ErrorBody.
 *
 * Generated from the schema of `ErrorBody` by `pnpm generate`. Not to be edited.
 */
import { makeRecord, type PlainRecord, type Shape } from "@game-data/schemas/PlainRecord";
import { ErrorObject } from "@game-data/schemas/ErrorObject";

/** ErrorBody. */
export interface ErrorBody {
  readonly error: ErrorObject;
}

const shape: Shape = { error: ["@", ErrorObject] };

/** ErrorBody. */
export const ErrorBody: PlainRecord<ErrorBody> = /*#__PURE__*/ makeRecord(
  "ErrorBody",
  shape,
  check,
);

function check(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
    if (key === "error") {
      if (!ErrorObject.is(member)) return false;
      required++;
    }
  }
  return required === 1;
}
