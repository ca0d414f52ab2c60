/** The input of reports and documents: a record, its Effect Schema, or a type in the notation. */
import { jsonType } from "./json.ts";
import type { Shape } from "./PlainRecord.ts";
import { RecordError } from "./RecordError.ts";
import { toShape } from "./shape.ts";
import type { Notation } from "./terms.ts";

/** A record, a schema of `schemas/effect`, or a type in the notation. */
export type Source = Notation | { readonly ast: unknown; readonly shape: Shape };

/** Returns the shape of a source. Throws `RecordError` for an Effect Schema that a user wrote. */
export const sourceShape = (source: Source): Shape => {
  const { ast, shape } = Object(source) as { readonly ast?: unknown; readonly shape?: Shape };
  if (ast !== undefined && shape !== undefined) return shape;
  const isNotation = typeof source === "string" || (typeof source === "object" && source !== null);
  if (ast === undefined && isNotation) return toShape(source as Notation);
  const expected = "a record or a type in the notation";
  const issue = { pointer: "", path: [], expected, actual: jsonType(source) };
  throw new RecordError("source", { issues: [issue], hasMore: false });
};
