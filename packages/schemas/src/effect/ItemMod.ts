/**
 * A mod of an item. The specification has a mod as text; services have begun to send some as
 * objects, whose `flags` say what separate lists said before (crafted, fractured, …). `modText`
 * reads both.
 */
import * as Plain from "../plain/generated/ItemMod.ts";
import * as wire from "../internal/wire.ts";

const fields = {
  description: wire.string,
  flags: /*#__PURE__*/ wire.nullish(/*#__PURE__*/ wire.dictionary(wire.bool)),
};

/** A mod as an object: its text, and flags such as `crafted` or `fractured`. */
export type ItemMod = Plain.ItemMod;
export const ItemMod: wire.RecordSchema<ItemMod, typeof fields> = /*#__PURE__*/ wire.record(
  Plain.ItemMod,
  "A mod as an object; beyond the specification, which has the text alone",
  fields,
);

/** Mods: texts, or objects with a `description`. */
export const ItemMods: wire.Wire<ReadonlyArray<string | ItemMod>> = /*#__PURE__*/ wire.array(
  /*#__PURE__*/ wire.documentedOr(wire.string, ItemMod),
);
