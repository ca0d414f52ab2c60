/**
 * FilterResult.
 *
 * Generated from the schema of `FilterResult` by `pnpm generate`. Not to be edited.
 */
import { makeRecord, type PlainRecord, isObject } from "@game-data/schemas/PlainRecord";
import { ItemFilter } from "@game-data/schemas/ItemFilter";

/** FilterResult. */
export interface FilterResult {
  readonly filter: ItemFilter;
}

/** FilterResult. */
export const FilterResult: PlainRecord<FilterResult> = /*#__PURE__*/ makeRecord(
  "FilterResult",
  { filter: ["@", ItemFilter] },
  check,
);

function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "filter") {
      if (!ItemFilter.is(member)) return false;
      required++;
    }
  }
  return required === 1;
}
