/**
 * FilterList.
 *
 * Generated from the schema of `FilterList` by `pnpm generate`. Not to be edited.
 */
import { makeRecord, type PlainRecord, isEach, isObject } from "@game-data/schemas/PlainRecord";
import { ItemFilter } from "@game-data/schemas/ItemFilter";

/** FilterList. */
export interface FilterList {
  readonly filters: ReadonlyArray<ItemFilter>;
}

/** FilterList. */
export const FilterList: PlainRecord<FilterList> = /*#__PURE__*/ makeRecord(
  "FilterList",
  { filters: ["[", ["@", ItemFilter]] },
  check,
);

function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "filters") {
      if (!isEach(member, ItemFilter.is)) return false;
      required++;
    }
  }
  return required === 1;
}
