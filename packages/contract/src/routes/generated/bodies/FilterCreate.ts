/**
 * FilterCreate.
 *
 * Generated from the schema of `FilterCreate` by `pnpm generate`. Not to be edited.
 */
import { makeRecord, type PlainRecord, isObject } from "@game-data/schemas/PlainRecord";
import type { Realm } from "@game-data/schemas/Realm";

/** FilterCreate. */
export interface FilterCreate {
  readonly filter_name: string;
  readonly realm: Realm;
  readonly description?: string | null;
  readonly version?: string | null;
  readonly type?: "Normal" | "Ruthless" | null;
  readonly public?: boolean | null;
  readonly filter: string;
}

/** FilterCreate. */
export const FilterCreate: PlainRecord<FilterCreate> = /*#__PURE__*/ makeRecord(
  "FilterCreate",
  {
    filter_name: "s",
    realm: ["=", "pc", "console_a", "console_b", "game2"],
    "description?": "sn",
    "version?": "sn",
    "type?": ["|", "n", ["=", "Normal", "Ruthless"]],
    "public?": "bn",
    filter: "s",
  },
  check,
);

function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (key === "filter_name" || key === "filter") {
      if (!(typeof member === "string")) return false;
      required++;
    } else if (key === "realm") {
      if (
        !(member === "pc" || member === "console_a" || member === "console_b" || member === "game2")
      )
        return false;
      required++;
    } else if (key === "description" || key === "version") {
      if (!(typeof member === "string")) return false;
    } else if (key === "type") {
      if (!(member === "Normal" || member === "Ruthless")) return false;
    } else if (key === "public") {
      if (!(typeof member === "boolean")) return false;
    }
  }
  return required === 3;
}
