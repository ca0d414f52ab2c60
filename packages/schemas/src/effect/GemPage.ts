/** A page of a gem's description (§2, GemPage). */
import * as Plain from "../plain/generated/GemPage.ts";
import { array, nullish, record, string, strings, type RecordSchema } from "../internal/wire.ts";
import { ItemProperty } from "./ItemProperty.ts";

const fields = {
  skillName: /*#__PURE__*/ nullish(string),
  description: /*#__PURE__*/ nullish(string),
  properties: /*#__PURE__*/ nullish(/*#__PURE__*/ array(ItemProperty)),
  stats: /*#__PURE__*/ nullish(strings),
};

/** A page of a gem's description. */
export type GemPage = Plain.GemPage;
/** A page of a gem's description. */
export const GemPage: RecordSchema<GemPage, typeof fields> = /*#__PURE__*/ record<GemPage>()(
  Plain.GemPage,
  "A page of a gem's description",
  fields,
);
