/**
 * A stash tab (§2, StashTab). A list of tabs has no `items`; sub-tabs of a folder nest in
 * `children`, or stand flat with `folder`. Only `id` is a key: names may be empty and may repeat.
 */
import * as Schema from "effect/Schema";
import { check } from "./internal/generated/StashTab.ts";
import {
  array,
  dictionary,
  flag,
  formatted,
  maybe,
  note,
  open,
  record,
  string,
  uint,
  type RecordSchema,
  type Wire,
} from "./internal/wire.ts";
import { nested } from "./internal/nested.ts";
import { Item } from "./Item.ts";

const tabId = /*#__PURE__*/ formatted("hex-10");

const fields = {
  id: /*#__PURE__*/ note(tabId, "10-digit hexadecimal string"),
  parent: /*#__PURE__*/ maybe(tabId, "10-digit hexadecimal string"),
  folder: /*#__PURE__*/ maybe(tabId, "10-digit hexadecimal string"),
  name: string,
  type: string,
  index: /*#__PURE__*/ maybe(uint),
  metadata: /*#__PURE__*/ open({
    public: /*#__PURE__*/ maybe(flag, "always true if present"),
    folder: /*#__PURE__*/ maybe(flag, "always true if present"),
    colour: /*#__PURE__*/ maybe(/*#__PURE__*/ formatted("colour"), "6-digit hex colour"),
    map: /*#__PURE__*/ maybe(
      /*#__PURE__*/ dictionary(Schema.Any as Wire<unknown>),
      "game-specific properties",
    ),
  }),
  items: /*#__PURE__*/ maybe(/*#__PURE__*/ array(Item)),
};

const recursive = {
  children: /*#__PURE__*/ maybe(
    /*#__PURE__*/ array(/*#__PURE__*/ nested((): Wire<StashTab> => StashTab)),
  ),
};

/** A stash tab. */
export interface StashTab extends Schema.Struct.Type<typeof fields> {
  /** The sub-tabs. */
  readonly children?: ReadonlyArray<StashTab> | null;
}
/** A stash tab. */
export const StashTab: RecordSchema<StashTab, typeof fields & typeof recursive> =
  /*#__PURE__*/ record<StashTab>()("StashTab", "A stash tab", { ...fields, ...recursive }, check);
