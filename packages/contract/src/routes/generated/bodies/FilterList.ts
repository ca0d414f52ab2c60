/**
 * FilterList.
 *
 * Generated from the schema of `FilterList` by `pnpm generate`. Not to be edited.
 */
import { makeRecord, type PlainRecord, type Shape, isObject } from "@game-data/schemas/PlainRecord";
import { ItemFilter } from "@game-data/schemas/ItemFilter";

/** FilterList. */
export interface FilterList {
  readonly filters: ReadonlyArray<ItemFilter>;
}

const shape: Shape = { filters: ["[", ["@", ItemFilter]] };

/** FilterList. */
export const FilterList: PlainRecord<FilterList> = /*#__PURE__*/ makeRecord(
  "FilterList",
  shape,
  check,
);

function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "filters") {
      if (!Array.isArray(member)) return false;
      for (let i0 = 0; i0 < member.length; i0++) {
        const element0: unknown = member[i0];
        if (!ItemFilter.is(element0)) return false;
      }
      required++;
    }
  }
  return required === 1;
}
