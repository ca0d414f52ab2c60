/**
 * An item filter.
 *
 * Generated from the schema of `ItemFilter` by `pnpm generate`. Not to be edited.
 *
 * @example
 * ```ts
 * import { ItemFilter } from "@game-data/schemas";
 *
 * const result = ItemFilter.safeDecode(null);
 * if (result.ok) throw new Error("null is no ItemFilter");
 * ```
 */
import { makeRecord, type PlainRecord } from "../PlainRecord.ts";
import { isObject } from "../tests.ts";

/** An item filter. */
export interface ItemFilter {
  readonly id: string;
  readonly filter_name: string;
  readonly realm: string;
  readonly description: string;
  readonly version: string;
  /** `Normal` or `Ruthless`. */
  readonly type: "Normal" | "Ruthless" | (string & {});
  /** Always true if present. */
  readonly public?: boolean | null;
  /** Absent when listing all filters. */
  readonly filter?: string | null;
  /** Absent when listing all filters. */
  readonly validation?: {
    readonly valid: boolean;
    /** Game version. */
    readonly version?: string | null;
    /** Date-time. */
    readonly validated?: string | null;
  } | null;
}

/** An item filter. */
export const ItemFilter: PlainRecord<ItemFilter> = /*#__PURE__*/ makeRecord(
  "ItemFilter",
  {
    id: "s",
    filter_name: "s",
    realm: "s",
    description: "s",
    version: "s",
    type: "s",
    "public?": "bn",
    "filter?": "sn",
    "validation?": ["|", "n", { valid: "b", "version?": "sn", "validated?": "sn" }],
  },
  check,
);

function part1(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (key === "valid") {
      if (!(typeof member === "boolean")) return false;
      required++;
    } else if (key === "version" || key === "validated") {
      if (!(typeof member === "string")) return false;
    }
  }
  return required === 1;
}

/** The check alone; `depth` counts how deep the record is nested in itself. */
export function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (
      key === "id" ||
      key === "filter_name" ||
      key === "realm" ||
      key === "description" ||
      key === "version" ||
      key === "type"
    ) {
      if (!(typeof member === "string")) return false;
      required++;
    } else if (key === "public") {
      if (!(typeof member === "boolean")) return false;
    } else if (key === "filter") {
      if (!(typeof member === "string")) return false;
    } else if (key === "validation") {
      if (!part1(member)) return false;
    }
  }
  return required === 6;
}
