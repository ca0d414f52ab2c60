/** A tab of a gem's description (§2, GemTab). */
import { GemPage } from "./GemPage.ts";
import * as Plain from "../plain/generated/GemTab.ts";
import { array, nullish, record, string, type RecordSchema } from "../internal/wire.ts";

const fields = {
  name: /*#__PURE__*/ nullish(string),
  pages: /*#__PURE__*/ array(GemPage),
};

/** A tab of a gem's description. */
export type GemTab = Plain.GemTab;
/** A tab of a gem's description. */
export const GemTab: RecordSchema<GemTab, typeof fields> = /*#__PURE__*/ record<GemTab>()(
  Plain.GemTab,
  "A tab of a gem's description",
  fields,
);
