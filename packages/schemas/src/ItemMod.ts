/**
 * A mod of an item. The specification has a mod as text; services have begun to send some as
 * objects, whose `flags` say what separate lists said before (crafted, fractured, …). `modText`
 * reads both.
 */
import type * as Schema from "effect/Schema";
import { check } from "./internal/generated/ItemMod.ts";
import {
  array,
  bool,
  dictionary,
  loose,
  maybe,
  record,
  string,
  type RecordSchema,
  type Wire,
} from "./internal/wire.ts";

const fields = {
  description: string,
  flags: /*#__PURE__*/ maybe(/*#__PURE__*/ dictionary(bool)),
};

/** A mod as an object: its text, and flags such as `crafted` or `fractured`. */
export interface ItemMod extends Schema.Struct.Type<typeof fields> {}
/** A mod as an object. */
export const ItemMod: RecordSchema<ItemMod, typeof fields> = /*#__PURE__*/ record<ItemMod>()(
  "ItemMod",
  "A mod as an object; beyond the specification, which has the text alone",
  fields,
  check,
);

/** Mods: texts, or objects with a `description`. */
export const ItemMods: Wire<ReadonlyArray<string | ItemMod>> = /*#__PURE__*/ array(
  /*#__PURE__*/ loose(string, ItemMod),
);

/** The text of a mod in either form. */
export const modText = (mod: string | ItemMod): string =>
  typeof mod === "string" ? mod : mod.description;
