/**
 * The Error object of the data endpoints (§7). Its fields are not shown by the specification: we
 * take a `code` to decide on and a `message` to read, as deployed services do.
 */
import type * as Schema from "effect/Schema";
import { check } from "./internal/generated/ErrorObject.ts";
import { note, record, string, uint, type RecordSchema } from "./internal/wire.ts";

const fields = {
  code: /*#__PURE__*/ note(uint, "decide on this"),
  message: /*#__PURE__*/ note(string, "for people; may change"),
};

/** What went wrong, in the body of a data endpoint. */
export interface ErrorObject extends Schema.Struct.Type<typeof fields> {}
/** What went wrong, in the body of a data endpoint. */
export const ErrorObject: RecordSchema<ErrorObject, typeof fields> =
  /*#__PURE__*/ record<ErrorObject>()(
    "ErrorObject",
    "What went wrong, in the body of a data endpoint",
    fields,
    check,
  );
