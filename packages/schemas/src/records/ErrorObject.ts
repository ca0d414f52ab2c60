import { type Members, type PlainRecord, record } from "../record.ts";

const errorObject = {
  /** Numeric code. Branch on `code`, because `message` may change. */
  code: "uint",
  /** For people. */
  message: "string",
} as const;
/**
 * The problem, in the body of a data endpoint. The specification does not show its fields; these
 * are those of deployed services.
 */
export interface ErrorObject extends Members<typeof errorObject> {}
export const ErrorObject: PlainRecord<ErrorObject> = record("ErrorObject", errorObject);
