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
  /** The column of the node. */
  orbit: "?uint",
  /** Position of the node within its column. */
  orbitIndex: "?uint",
  out: "string[]",
  in: "string[]",
} as const;
/** A node of an item's crucible tree, with the mod that it grants. */
export interface CrucibleNode extends Members<typeof crucibleNode> {}
export const CrucibleNode: PlainRecord<CrucibleNode> = record("CrucibleNode", crucibleNode);
