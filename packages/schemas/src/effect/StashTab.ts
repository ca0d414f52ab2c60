/**
 * A stash tab (§2, StashTab). A list of tabs has no `items`; sub-tabs of a folder nest in
 * `children`, or stand flat with `folder`. Only `id` is a key: names may be empty and may repeat.
 */
import * as Schema from "effect/Schema";
import * as Plain from "../plain/generated/StashTab.ts";
import {
  array,
  dictionary,
  alwaysTrue,
  formattedString,
  nullish,
  describe,
  openStruct,
  record,
  string,
  uint,
  type RecordSchema,
  type Wire,
} from "../internal/wire.ts";
import { Item } from "./Item.ts";

const tabId = /*#__PURE__*/ formattedString("hex-10");

const fields = {
  id: /*#__PURE__*/ describe(tabId, "10-digit hexadecimal string"),
  parent: /*#__PURE__*/ nullish(tabId, "10-digit hexadecimal string"),
  folder: /*#__PURE__*/ nullish(tabId, "10-digit hexadecimal string"),
  name: string,
  type: string,
  index: /*#__PURE__*/ nullish(uint),
  metadata: /*#__PURE__*/ openStruct({
    public: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
    folder: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
    colour: /*#__PURE__*/ nullish(/*#__PURE__*/ formattedString("colour"), "6-digit hex colour"),
    map: /*#__PURE__*/ nullish(
      /*#__PURE__*/ dictionary(Schema.Any as Wire<unknown>),
      "game-specific properties",
    ),
  }),
  items: /*#__PURE__*/ nullish(/*#__PURE__*/ array(Item)),
};

const recursive = {
  children: /*#__PURE__*/ nullish(
    /*#__PURE__*/ array(/*#__PURE__*/ Schema.suspend((): Wire<StashTab> => StashTab)),
  ),
};

/** A stash tab. */
export type StashTab = Plain.StashTab;
/** A stash tab. */
export const StashTab: RecordSchema<StashTab, typeof fields & typeof recursive> =
  /*#__PURE__*/ record<StashTab>()(Plain.StashTab, "A stash tab", { ...fields, ...recursive });
