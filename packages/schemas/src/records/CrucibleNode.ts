import { type Members, type PlainRecord, record } from "../record.ts";

const crucibleNode = {
  /** Mod hash. */
  skill: "?uint",
  /** Mod tier. */
  tier: "?uint",
  icon: "?string",
  allocated: "?true",
  isNotable: "?true",
  isReward: "?true",
  stats: "?string[]",
  reminderText: "?string[]",
  /** The column occupied. */
  orbit: "?uint",
  /** Position within the column. */
  orbitIndex: "?uint",
  out: "string[]",
  in: "string[]",
} as const;
/** A node of an item's crucible tree. */
export interface CrucibleNode extends Members<typeof crucibleNode> {}
export const CrucibleNode: PlainRecord<CrucibleNode> = record("CrucibleNode", crucibleNode);
