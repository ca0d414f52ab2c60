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
import { makeRecord, type PlainRecord, type Shape } from "../PlainRecord.ts";

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

const shape: Shape = {
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
};

/** A node of an item's crucible tree. */
export const CrucibleNode: PlainRecord<CrucibleNode> = /*#__PURE__*/ makeRecord(
  "CrucibleNode",
  shape,
  check,
);

/** The check alone; `depth` counts how deep the record is nested in itself. */
export function check(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
    if (key === "skill" || key === "tier" || key === "orbit" || key === "orbitIndex") {
      if (!((Number.isSafeInteger(member) && (member as number) >= 0) || member === null))
        return false;
    } else if (key === "icon") {
      if (!(typeof member === "string" || member === null)) return false;
    } else if (key === "allocated" || key === "isNotable" || key === "isReward") {
      if (!(typeof member === "boolean" || member === null)) return false;
    } else if (key === "stats" || key === "reminderText") {
      if (member !== null) {
        if (!Array.isArray(member)) return false;
        for (let i0 = 0; i0 < member.length; i0++) {
          const element0: unknown = member[i0];
          if (!(typeof element0 === "string")) return false;
        }
      }
    } else if (key === "out" || key === "in") {
      if (!Array.isArray(member)) return false;
      for (let i0 = 0; i0 < member.length; i0++) {
        const element0: unknown = member[i0];
        if (!(typeof element0 === "string")) return false;
      }
      required++;
    }
  }
  return required === 2;
}
