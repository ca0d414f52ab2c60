/**
 * FilterAccepted.
 *
 * Generated from the schema of `FilterAccepted` by `pnpm generate`. Not to be edited.
 */
import { makeRecord, type PlainRecord, isObject } from "@game-data/schemas/PlainRecord";
import { ErrorObject } from "@game-data/schemas/ErrorObject";
import { ItemFilter } from "@game-data/schemas/ItemFilter";

/** FilterAccepted. */
export interface FilterAccepted {
  readonly filter: ItemFilter;
  readonly error: ErrorObject;
}

/** FilterAccepted. */
export const FilterAccepted: PlainRecord<FilterAccepted> = /*#__PURE__*/ makeRecord(
  "FilterAccepted",
  { filter: ["@", ItemFilter], error: ["@", ErrorObject] },
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
    } else if (key === "error") {
      if (!ErrorObject.is(member)) return false;
      required++;
    }
  }
  return required === 2;
}
