/**
 * FilterAccepted.
 *
 * Generated from the schema of `FilterAccepted` by `pnpm generate`. Not to be edited.
 */
import { makeRecord, type PlainRecord, type Shape } from "@game-data/schemas/PlainRecord";
import { ErrorObject } from "@game-data/schemas/ErrorObject";
import { ItemFilter } from "@game-data/schemas/ItemFilter";

/** FilterAccepted. */
export interface FilterAccepted {
  readonly filter: ItemFilter;
  readonly error: ErrorObject;
}

const shape: Shape = { filter: ["@", ItemFilter], error: ["@", ErrorObject] };

/** FilterAccepted. */
export const FilterAccepted: PlainRecord<FilterAccepted> = /*#__PURE__*/ makeRecord(
  "FilterAccepted",
  shape,
  check,
);

function check(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
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
