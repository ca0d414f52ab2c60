/** The effect of a jewel on the passive tree (§2, ItemJewelData). */
import * as Plain from "../plain/generated/ItemJewelData.ts";
import * as wire from "../internal/wire.ts";
import { PassiveGroup } from "./PassiveGroup.ts";
import { PassiveNode } from "./PassiveNode.ts";

const fields = {
  type: wire.string,
  radius: /*#__PURE__*/ wire.nullish(wire.uint),
  radiusMin: /*#__PURE__*/ wire.nullish(wire.uint),
  radiusVisual: /*#__PURE__*/ wire.nullish(wire.string),
  subgraph: /*#__PURE__*/ wire.nullish(
    /*#__PURE__*/ wire.openStruct({
      groups: /*#__PURE__*/ wire.describe(
        /*#__PURE__*/ wire.dictionary(PassiveGroup),
        "key = group id as string",
      ),
      nodes: /*#__PURE__*/ wire.describe(
        /*#__PURE__*/ wire.dictionary(PassiveNode),
        "key = node identifier as string",
      ),
    }),
    "only on cluster jewels",
  ),
};

/** The effect of a jewel on the passive tree. */
export type ItemJewelData = Plain.ItemJewelData;
export const ItemJewelData: wire.RecordSchema<ItemJewelData, typeof fields> =
  /*#__PURE__*/ wire.record(Plain.ItemJewelData, "What a jewel does to the passive tree", fields);
