/**
 * What a jewel does to the passive tree.
 *
 * Generated from the schema of `ItemJewelData` by `pnpm generate`. Not to be edited.
 *
 * @example
 * ```ts
 * import { ItemJewelData } from "@game-data/schemas";
 *
 * const result = ItemJewelData.safeDecode(null);
 * if (result.ok) throw new Error("null is no ItemJewelData");
 * ```
 */
import { makeRecord, type PlainRecord } from "../PlainRecord.ts";
import { isObject, isUint } from "../tests.ts";
import { check as checkPassiveGroup, PassiveGroup } from "./PassiveGroup.ts";
import { check as checkPassiveNode, PassiveNode } from "./PassiveNode.ts";

/** What a jewel does to the passive tree. */
export interface ItemJewelData {
  readonly type: string;
  readonly radius?: number | null;
  readonly radiusMin?: number | null;
  readonly radiusVisual?: string | null;
  /** Only on cluster jewels. */
  readonly subgraph?: {
    /** Key = group id as string. */
    readonly groups: { readonly [key: string]: PassiveGroup } | Readonly<Record<string, never>>;
    /** Key = node identifier as string. */
    readonly nodes: { readonly [key: string]: PassiveNode } | Readonly<Record<string, never>>;
  } | null;
}

/** What a jewel does to the passive tree. */
export const ItemJewelData: PlainRecord<ItemJewelData> = /*#__PURE__*/ makeRecord(
  "ItemJewelData",
  {
    type: "s",
    "radius?": "un",
    "radiusMin?": "un",
    "radiusVisual?": "sn",
    "subgraph?": [
      "|",
      "n",
      {
        groups: ["|", ["{", ["@", PassiveGroup]], ["(", true]],
        nodes: ["|", ["{", ["@", PassiveNode]], ["(", true]],
      },
    ],
  },
  check,
);

function part2(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const key in value) {
    const member = value[key];
    if (!checkPassiveGroup(member)) return false;
  }
  return true;
}

function part3(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function part4(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const key in value) {
    const member = value[key];
    if (!checkPassiveNode(member)) return false;
  }
  return true;
}

function part1(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "groups") {
      if (!(part2(member) || part3(member))) return false;
      required++;
    } else if (key === "nodes") {
      if (!(part4(member) || part3(member))) return false;
      required++;
    }
  }
  return required === 2;
}

/** The check alone; `depth` counts how deep the record is nested in itself. */
export function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (key === "type") {
      if (!(typeof member === "string")) return false;
      required++;
    } else if (key === "radius" || key === "radiusMin") {
      if (!isUint(member)) return false;
    } else if (key === "radiusVisual") {
      if (!(typeof member === "string")) return false;
    } else if (key === "subgraph") {
      if (!part1(member)) return false;
    }
  }
  return required === 1;
}
