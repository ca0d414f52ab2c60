import { type Members, type PlainRecord, record } from "../record.ts";

const errorObject = {
  /** Numeric code. Branch on `code`, because `message` may change. */
  code: "uint",
  /** Explanation for people. May change. */
  message: "string",
} as const;
/**
 * The error in a response of a data endpoint. The specification does not show its fields. The
 * fields here are those that deployed services send.
 */
export interface ErrorObject extends Members<typeof errorObject> {}
export const ErrorObject: PlainRecord<ErrorObject> = record("ErrorObject", errorObject);
