/**
 * The Error object of the data endpoints (§7). Its fields are not shown by the specification: we
 * take a `code` to decide on and a `message` to read, as deployed services do.
 */
import * as Plain from "../plain/generated/ErrorObject.ts";
import * as wire from "../internal/wire.ts";

const fields = {
  code: /*#__PURE__*/ wire.describe(wire.uint, "decide on this"),
  message: /*#__PURE__*/ wire.describe(wire.string, "for people; may change"),
};

/** The problem, in the body of a data endpoint. */
export type ErrorObject = Plain.ErrorObject;
export const ErrorObject: wire.RecordSchema<ErrorObject, typeof fields> = /*#__PURE__*/ wire.record(
  Plain.ErrorObject,
  "What went wrong, in the body of a data endpoint",
  fields,
);
