/** A tab of a gem's description (§2, GemTab). */
import type * as Schema from "effect/Schema";
import { GemPage } from "./GemPage.ts";
import { check } from "./internal/generated/GemTab.ts";
import { array, maybe, record, string, type RecordSchema } from "./internal/wire.ts";

const fields = {
  name: /*#__PURE__*/ maybe(string),
  pages: /*#__PURE__*/ array(GemPage),
};

/** A tab of a gem's description. */
export interface GemTab extends Schema.Struct.Type<typeof fields> {}
/** A tab of a gem's description. */
export const GemTab: RecordSchema<GemTab, typeof fields> = /*#__PURE__*/ record<GemTab>()(
  "GemTab",
  "A tab of a gem's description",
  fields,
  check,
);
