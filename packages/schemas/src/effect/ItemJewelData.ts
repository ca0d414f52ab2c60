/** The effect of a jewel on the passive tree (§2, ItemJewelData). */
import * as Plain from "../plain/generated/ItemJewelData.ts";
import {
  dictionary,
  nullish,
  describe,
  openStruct,
  record,
  string,
  uint,
  type RecordSchema,
} from "../internal/wire.ts";
import { PassiveGroup } from "./PassiveGroup.ts";
import { PassiveNode } from "./PassiveNode.ts";

const fields = {
  type: string,
  radius: /*#__PURE__*/ nullish(uint),
  radiusMin: /*#__PURE__*/ nullish(uint),
  radiusVisual: /*#__PURE__*/ nullish(string),
  subgraph: /*#__PURE__*/ nullish(
    /*#__PURE__*/ openStruct({
      groups: /*#__PURE__*/ describe(
        /*#__PURE__*/ dictionary(PassiveGroup),
        "key = group id as string",
      ),
      nodes: /*#__PURE__*/ describe(
        /*#__PURE__*/ dictionary(PassiveNode),
        "key = node identifier as string",
      ),
    }),
    "only on cluster jewels",
  ),
};

/** The effect of a jewel on the passive tree. */
export type ItemJewelData = Plain.ItemJewelData;
/** The effect of a jewel on the passive tree. */
export const ItemJewelData: RecordSchema<ItemJewelData, typeof fields> =
  /*#__PURE__*/ record<ItemJewelData>()(
    Plain.ItemJewelData,
    "What a jewel does to the passive tree",
    fields,
  );
