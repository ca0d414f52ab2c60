/**
 * A stash tab.
 *
 * Generated from the schema of `StashTab` by `pnpm generate`. Not to be edited.
 *
 * @example
 * ```ts
 * import { StashTab } from "@game-data/schemas";
 *
 * const result = StashTab.safeDecode(null);
 * if (result.ok) throw new Error("null is no StashTab");
 * ```
 */
import { MAX_DEPTH } from "../depth.ts";
import { makeRecord, type PlainRecord } from "../PlainRecord.ts";
import { isEach, isObject, isUint } from "../tests.ts";
import { check as checkItem, Item } from "./Item.ts";

/** A stash tab. */
export interface StashTab {
  /** 10-digit hexadecimal string. */
  readonly id: string;
  /** 10-digit hexadecimal string. */
  readonly parent?: string | null;
  /** 10-digit hexadecimal string. */
  readonly folder?: string | null;
  readonly name: string;
  readonly type: string;
  readonly index?: number | null;
  readonly metadata: {
    /** Always true if present. */
    readonly public?: boolean | null;
    /** Always true if present. */
    readonly folder?: boolean | null;
    /** 6-digit hex colour. */
    readonly colour?: string | null;
    /** Game-specific properties. */
    readonly map?: { readonly [key: string]: unknown } | Readonly<Record<string, never>> | null;
  };
  readonly items?: ReadonlyArray<Item> | null;
  readonly children?: ReadonlyArray<StashTab> | null;
}

/** A stash tab. */
export const StashTab: PlainRecord<StashTab> = /*#__PURE__*/ makeRecord(
  "StashTab",
  {
    id: "s",
    "parent?": "sn",
    "folder?": "sn",
    name: "s",
    type: "s",
    "index?": "un",
    metadata: {
      "public?": "bn",
      "folder?": "bn",
      "colour?": "sn",
      "map?": ["|", "n", ["{", "a"], ["(", true]],
    },
    "items?": ["|", "n", ["[", ["@", Item]]],
    "children?": ["|", "n", ["[", () => StashTab]],
  },
  check,
);

function part2(value: unknown): boolean {
  if (!isObject(value)) return false;
  return true;
}

function part3(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function part1(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (key === "public" || key === "folder") {
      if (!(typeof member === "boolean")) return false;
    } else if (key === "colour") {
      if (!(typeof member === "string")) return false;
    } else if (key === "map") {
      if (!(part2(member) || part3(member))) return false;
    }
  }
  return true;
}

/** The check alone; `depth` counts how deep the record is nested in itself. */
export function check(value: unknown, depth: number): boolean {
  if (depth > MAX_DEPTH) return false;
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (key === "id" || key === "name" || key === "type") {
      if (!(typeof member === "string")) return false;
      required++;
    } else if (key === "metadata") {
      if (!part1(member)) return false;
      required++;
    } else if (key === "parent" || key === "folder") {
      if (!(typeof member === "string")) return false;
    } else if (key === "index") {
      if (!isUint(member)) return false;
    } else if (key === "items") {
      if (!isEach(member, checkItem, 0)) return false;
    } else if (key === "children") {
      if (!isEach(member, check, depth + 1)) return false;
    }
  }
  return required === 4;
}
