/**
 * A mod of an item. The specification has a mod as text; services have begun to send some as
 * objects, whose `flags` say what separate lists said before (crafted, fractured, …). `modText`
 * reads both.
 */
import * as Plain from "../plain/generated/ItemMod.ts";
import {
  array,
  bool,
  dictionary,
  documentedOr,
  nullish,
  record,
  string,
  type RecordSchema,
  type Wire,
} from "../internal/wire.ts";

const fields = {
  description: string,
  flags: /*#__PURE__*/ nullish(/*#__PURE__*/ dictionary(bool)),
};

/** A mod as an object: its text, and flags such as `crafted` or `fractured`. */
export type ItemMod = Plain.ItemMod;
/** A mod as an object. */
export const ItemMod: RecordSchema<ItemMod, typeof fields> = /*#__PURE__*/ record<ItemMod>()(
  Plain.ItemMod,
  "A mod as an object; beyond the specification, which has the text alone",
  fields,
);

/** Mods: texts, or objects with a `description`. */
export const ItemMods: Wire<ReadonlyArray<string | ItemMod>> = /*#__PURE__*/ array(
  /*#__PURE__*/ documentedOr(string, ItemMod),
);
