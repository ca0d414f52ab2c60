import { type Members, type PlainRecord, record } from "../record.ts";

const passiveGroup = {
  x: "float",
  y: "float",
  orbits: "uint[]",
  isProxy: "?true",
  /** Identifier of the placeholder node. */
  proxy: "?string",
  /** Node identifiers of the group. */
  nodes: "string[]",
} as const;
/** A group of passive nodes in the sub-graph of a cluster jewel. */
export interface PassiveGroup extends Members<typeof passiveGroup> {}
export const PassiveGroup: PlainRecord<PassiveGroup> = record("PassiveGroup", passiveGroup);
