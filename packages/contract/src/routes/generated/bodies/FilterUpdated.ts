/**
 * FilterUpdated.
 *
 * Generated from the schema of `FilterUpdated` by `pnpm generate`. Not to be edited.
 */
import { makeRecord, type PlainRecord, isObject } from "@game-data/schemas/PlainRecord";
import { ErrorObject } from "@game-data/schemas/ErrorObject";
import { ItemFilter } from "@game-data/schemas/ItemFilter";

/** FilterUpdated. */
export interface FilterUpdated {
  readonly filter: ItemFilter;
  readonly error?: ErrorObject | null;
}

/** FilterUpdated. */
export const FilterUpdated: PlainRecord<FilterUpdated> = /*#__PURE__*/ makeRecord(
  "FilterUpdated",
  { filter: ["@", ItemFilter], "error?": ["|", "n", ["@", ErrorObject]] },
  check,
);

function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (key === "filter") {
      if (!ItemFilter.is(member)) return false;
      required++;
    } else if (key === "error") {
      if (!ErrorObject.is(member)) return false;
    }
  }
  return required === 1;
}
