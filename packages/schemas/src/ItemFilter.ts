/**
 * A player's item filter (§2, ItemFilter). `filter` and `validation` are absent when all filters
 * are listed.
 */
import type * as Schema from "effect/Schema";
import { DateTimeString } from "./DateTime.ts";
import { check } from "./internal/generated/ItemFilter.ts";
import {
  bool,
  flag,
  maybe,
  note,
  open,
  record,
  string,
  word,
  type RecordSchema,
} from "./internal/wire.ts";

const fields = {
  id: string,
  filter_name: string,
  realm: string,
  description: string,
  version: string,
  type: /*#__PURE__*/ note(/*#__PURE__*/ word(["Normal", "Ruthless"]), "`Normal` or `Ruthless`"),
  public: /*#__PURE__*/ maybe(flag, "always true if present"),
  filter: /*#__PURE__*/ maybe(string, "absent when listing all filters"),
  validation: /*#__PURE__*/ maybe(
    /*#__PURE__*/ open({
      valid: bool,
      version: /*#__PURE__*/ maybe(string, "game version"),
      validated: /*#__PURE__*/ maybe(DateTimeString, "date-time"),
    }),
    "absent when listing all filters",
  ),
};

/** An item filter. */
export interface ItemFilter extends Schema.Struct.Type<typeof fields> {}
/** An item filter. */
export const ItemFilter: RecordSchema<ItemFilter, typeof fields> =
  /*#__PURE__*/ record<ItemFilter>()("ItemFilter", "An item filter", fields, check);
