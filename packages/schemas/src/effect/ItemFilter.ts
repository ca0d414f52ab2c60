/**
 * A player's item filter (§2, ItemFilter). `filter` and `validation` are absent when all filters
 * are listed.
 */
import { DateTimeString } from "./DateTime.ts";
import * as Plain from "../plain/generated/ItemFilter.ts";
import * as wire from "../internal/wire.ts";

const fields = {
  id: wire.string,
  filter_name: wire.string,
  realm: wire.string,
  description: wire.string,
  version: wire.string,
  type: /*#__PURE__*/ wire.describe(
    /*#__PURE__*/ wire.openEnum(["Normal", "Ruthless"]),
    "`Normal` or `Ruthless`",
  ),
  public: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  filter: /*#__PURE__*/ wire.nullish(wire.string, "absent when listing all filters"),
  validation: /*#__PURE__*/ wire.nullish(
    /*#__PURE__*/ wire.openStruct({
      valid: wire.bool,
      version: /*#__PURE__*/ wire.nullish(wire.string, "game version"),
      validated: /*#__PURE__*/ wire.nullish(DateTimeString, "date-time"),
    }),
    "absent when listing all filters",
  ),
};

/** An item filter. */
export type ItemFilter = Plain.ItemFilter;
export const ItemFilter: wire.RecordSchema<ItemFilter, typeof fields> = /*#__PURE__*/ wire.record(
  Plain.ItemFilter,
  "An item filter",
  fields,
);
