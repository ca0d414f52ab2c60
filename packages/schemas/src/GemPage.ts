/** A page of a gem's description (§2, GemPage). */
import type * as Schema from "effect/Schema";
import { check } from "./internal/generated/GemPage.ts";
import { array, maybe, record, string, strings, type RecordSchema } from "./internal/wire.ts";
import { ItemProperty } from "./ItemProperty.ts";

const fields = {
  skillName: /*#__PURE__*/ maybe(string),
  description: /*#__PURE__*/ maybe(string),
  properties: /*#__PURE__*/ maybe(/*#__PURE__*/ array(ItemProperty)),
  stats: /*#__PURE__*/ maybe(strings),
};

/** A page of a gem's description. */
export interface GemPage extends Schema.Struct.Type<typeof fields> {}
/** A page of a gem's description. */
export const GemPage: RecordSchema<GemPage, typeof fields> = /*#__PURE__*/ record<GemPage>()(
  "GemPage",
  "A page of a gem's description",
  fields,
  check,
);
