/** A tab of a gem's description (§2, GemTab). */
import { GemPage } from "./GemPage.ts";
import * as Plain from "../plain/generated/GemTab.ts";
import * as wire from "../internal/wire.ts";

const fields = {
  name: /*#__PURE__*/ wire.nullish(wire.string),
  pages: /*#__PURE__*/ wire.array(GemPage),
};

/** A tab of a gem's description. */
export type GemTab = Plain.GemTab;
export const GemTab: wire.RecordSchema<GemTab, typeof fields> = /*#__PURE__*/ wire.record(
  Plain.GemTab,
  "A tab of a gem's description",
  fields,
);
