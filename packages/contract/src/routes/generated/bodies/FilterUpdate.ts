/**
 * FilterUpdate.
 *
 * Generated from the schema of `FilterUpdate` by `pnpm generate`. Not to be edited.
 */
import { makeRecord, type PlainRecord, isObject } from "@game-data/schemas/PlainRecord";

/** FilterUpdate. */
export interface FilterUpdate {
  readonly filter_name?: string;
  readonly realm?: "pc" | "console_a" | "console_b" | "game2";
  readonly description?: string | null;
  readonly version?: string | null;
  readonly type?: "Normal" | "Ruthless" | null;
  readonly public?: true;
  readonly filter?: string;
}

/** FilterUpdate. */
export const FilterUpdate: PlainRecord<FilterUpdate> = /*#__PURE__*/ makeRecord(
  "FilterUpdate",
  {
    "filter_name?": "s",
    "realm?": ["=", "pc", "console_a", "console_b", "game2"],
    "description?": "sn",
    "version?": "sn",
    "type?": ["|", "n", ["=", "Normal", "Ruthless"]],
    "public?": ["=", true],
    "filter?": "s",
  },
  check,
);

function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const key in value) {
    const member = value[key];
    if (key === "filter_name" || key === "filter") {
      if (!(typeof member === "string")) return false;
    } else if (key === "realm") {
      if (
        !(member === "pc" || member === "console_a" || member === "console_b" || member === "game2")
      )
        return false;
    } else if (key === "description" || key === "version") {
      if (!(typeof member === "string" || member === null)) return false;
    } else if (key === "type") {
      if (!(member === null || member === "Normal" || member === "Ruthless")) return false;
    } else if (key === "public") {
      if (!(member === true)) return false;
    }
  }
  return true;
}
