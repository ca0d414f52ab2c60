/** A page of a gem's description (§2, GemPage). */
import * as Plain from "../plain/generated/GemPage.ts";
import * as wire from "../internal/wire.ts";
import { ItemProperty } from "./ItemProperty.ts";

const fields = {
  skillName: /*#__PURE__*/ wire.nullish(wire.string),
  description: /*#__PURE__*/ wire.nullish(wire.string),
  properties: /*#__PURE__*/ wire.nullish(/*#__PURE__*/ wire.array(ItemProperty)),
  stats: /*#__PURE__*/ wire.nullish(wire.strings),
};

/** A page of a gem's description. */
export type GemPage = Plain.GemPage;
export const GemPage: wire.RecordSchema<GemPage, typeof fields> = /*#__PURE__*/ wire.record(
  Plain.GemPage,
  "A page of a gem's description",
  fields,
);
