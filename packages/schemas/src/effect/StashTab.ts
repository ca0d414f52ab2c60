/**
 * A stash tab (§2, StashTab). A list of tabs has no `items`; sub-tabs of a folder nest in
 * `children`, or stand flat with `folder`. Only `id` is a key: names may be empty and may repeat.
 */
import * as Schema from "effect/Schema";
import * as Plain from "../plain/generated/StashTab.ts";
import * as wire from "../internal/wire.ts";
import { Item } from "./Item.ts";

const tabId = /*#__PURE__*/ wire.formattedString("hex-10");

const fields = {
  id: /*#__PURE__*/ wire.describe(tabId, "10-digit hexadecimal string"),
  parent: /*#__PURE__*/ wire.nullish(tabId, "10-digit hexadecimal string"),
  folder: /*#__PURE__*/ wire.nullish(tabId, "10-digit hexadecimal string"),
  name: wire.string,
  type: wire.string,
  index: /*#__PURE__*/ wire.nullish(wire.uint),
  metadata: /*#__PURE__*/ wire.openStruct({
    public: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
    folder: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
    colour: /*#__PURE__*/ wire.nullish(
      /*#__PURE__*/ wire.formattedString("colour"),
      "6-digit hex colour",
    ),
    map: /*#__PURE__*/ wire.nullish(
      /*#__PURE__*/ wire.dictionary(Schema.Any as wire.Wire<unknown>),
      "game-specific properties",
    ),
  }),
  items: /*#__PURE__*/ wire.nullish(/*#__PURE__*/ wire.array(Item)),
};

const recursive = {
  children: /*#__PURE__*/ wire.nullish(
    /*#__PURE__*/ wire.array(/*#__PURE__*/ Schema.suspend((): wire.Wire<StashTab> => StashTab)),
  ),
};

/** A stash tab. */
export type StashTab = Plain.StashTab;
export const StashTab: wire.RecordSchema<StashTab, typeof fields & typeof recursive> =
  /*#__PURE__*/ wire.record(Plain.StashTab, "A stash tab", { ...fields, ...recursive });
