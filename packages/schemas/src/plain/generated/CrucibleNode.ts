/**
 * A node of an item's crucible tree.
 *
 * Generated from the schema of `CrucibleNode` by `pnpm generate`. Not to be edited.
 *
 * @example
 * ```ts
 * import { CrucibleNode } from "@game-data/schemas";
 *
 * const result = CrucibleNode.safeDecode(null);
 * if (result.ok) throw new Error("null is no CrucibleNode");
 * ```
 */
import { makeRecord, type PlainRecord } from "../PlainRecord.ts";
import { isObject, isStrings, isUint } from "../tests.ts";

/** A node of an item's crucible tree. */
export interface CrucibleNode {
  /** Mod hash. */
  readonly skill?: number | null;
  /** Mod tier. */
  readonly tier?: number | null;
  readonly icon?: string | null;
  /** Always true if present. */
  readonly allocated?: boolean | null;
  /** Always true if present. */
  readonly isNotable?: boolean | null;
  /** Always true if present. */
  readonly isReward?: boolean | null;
  readonly stats?: ReadonlyArray<string> | null;
  readonly reminderText?: ReadonlyArray<string> | null;
  /** The column occupied. */
  readonly orbit?: number | null;
  /** Position within the column. */
  readonly orbitIndex?: number | null;
  readonly out: ReadonlyArray<string>;
  readonly in: ReadonlyArray<string>;
}

/** A node of an item's crucible tree. */
export const CrucibleNode: PlainRecord<CrucibleNode> = /*#__PURE__*/ makeRecord(
  "CrucibleNode",
  {
    "skill?": "un",
    "tier?": "un",
    "icon?": "sn",
    "allocated?": "bn",
    "isNotable?": "bn",
    "isReward?": "bn",
    "stats?": ["|", "n", ["[", "s"]],
    "reminderText?": ["|", "n", ["[", "s"]],
    "orbit?": "un",
    "orbitIndex?": "un",
    out: ["[", "s"],
    in: ["[", "s"],
  },
  check,
);

/** The check alone; `depth` counts how deep the record is nested in itself. */
export function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (key === "out" || key === "in") {
      if (!isStrings(member)) return false;
      required++;
    } else if (key === "skill" || key === "tier" || key === "orbit" || key === "orbitIndex") {
      if (!isUint(member)) return false;
    } else if (key === "icon") {
      if (!(typeof member === "string")) return false;
    } else if (key === "allocated" || key === "isNotable" || key === "isReward") {
      if (!(typeof member === "boolean")) return false;
    } else if (key === "stats" || key === "reminderText") {
      if (!isStrings(member)) return false;
    }
  }
  return required === 2;
}
