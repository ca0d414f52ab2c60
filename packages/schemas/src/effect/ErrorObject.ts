/**
 * The Error object of the data endpoints (§7). Its fields are not shown by the specification: we
 * take a `code` to decide on and a `message` to read, as deployed services do.
 */
import * as Plain from "../plain/generated/ErrorObject.ts";
import { describe, record, string, uint, type RecordSchema } from "../internal/wire.ts";

const fields = {
  code: /*#__PURE__*/ describe(uint, "decide on this"),
  message: /*#__PURE__*/ describe(string, "for people; may change"),
};

/** The problem, in the body of a data endpoint. */
export type ErrorObject = Plain.ErrorObject;
/** The problem, in the body of a data endpoint. */
export const ErrorObject: RecordSchema<ErrorObject, typeof fields> =
  /*#__PURE__*/ record<ErrorObject>()(
    Plain.ErrorObject,
    "What went wrong, in the body of a data endpoint",
    fields,
  );
