import { dictionary, type Members, optional, type PlainRecord, record } from "../record.ts";
import { PassiveGroup } from "./PassiveGroup.ts";
import { PassiveNode } from "./PassiveNode.ts";

const itemJewelData = {
  type: "string",
  radius: "?uint",
  radiusMin: "?uint",
  radiusVisual: "?string",
  /** Only on cluster jewels. */
  subgraph: optional({
    /** Key = group id as string. */
    groups: dictionary(PassiveGroup),
    /** Key = node identifier as string. */
    nodes: dictionary(PassiveNode),
  }),
} as const;
/** The effect of a jewel on a character's passive tree. */
export interface ItemJewelData extends Members<typeof itemJewelData> {}
export const ItemJewelData: PlainRecord<ItemJewelData> = record("ItemJewelData", itemJewelData);
