/**
 * A player's item filter (§2, ItemFilter). `filter` and `validation` are absent when all filters
 * are listed.
 */
import { DateTimeString } from "./DateTime.ts";
import * as Plain from "../plain/generated/ItemFilter.ts";
import {
  bool,
  alwaysTrue,
  nullish,
  describe,
  openStruct,
  record,
  string,
  openEnum,
  type RecordSchema,
} from "../internal/wire.ts";

const fields = {
  id: string,
  filter_name: string,
  realm: string,
  description: string,
  version: string,
  type: /*#__PURE__*/ describe(
    /*#__PURE__*/ openEnum(["Normal", "Ruthless"]),
    "`Normal` or `Ruthless`",
  ),
  public: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  filter: /*#__PURE__*/ nullish(string, "absent when listing all filters"),
  validation: /*#__PURE__*/ nullish(
    /*#__PURE__*/ openStruct({
      valid: bool,
      version: /*#__PURE__*/ nullish(string, "game version"),
      validated: /*#__PURE__*/ nullish(DateTimeString, "date-time"),
    }),
    "absent when listing all filters",
  ),
};

/** An item filter. */
export type ItemFilter = Plain.ItemFilter;
/** An item filter. */
export const ItemFilter: RecordSchema<ItemFilter, typeof fields> =
  /*#__PURE__*/ record<ItemFilter>()(Plain.ItemFilter, "An item filter", fields);
