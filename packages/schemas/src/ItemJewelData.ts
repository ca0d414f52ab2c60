/** What a jewel does to the passive tree (§2, ItemJewelData). */
import type * as Schema from "effect/Schema";
import { check } from "./internal/generated/ItemJewelData.ts";
import {
  dictionary,
  maybe,
  note,
  open,
  record,
  string,
  uint,
  type RecordSchema,
} from "./internal/wire.ts";
import { PassiveGroup } from "./PassiveGroup.ts";
import { PassiveNode } from "./PassiveNode.ts";

const fields = {
  type: string,
  radius: /*#__PURE__*/ maybe(uint),
  radiusMin: /*#__PURE__*/ maybe(uint),
  radiusVisual: /*#__PURE__*/ maybe(string),
  subgraph: /*#__PURE__*/ maybe(
    /*#__PURE__*/ open({
      groups: /*#__PURE__*/ note(
        /*#__PURE__*/ dictionary(PassiveGroup),
        "key = group id as string",
      ),
      nodes: /*#__PURE__*/ note(
        /*#__PURE__*/ dictionary(PassiveNode),
        "key = node identifier as string",
      ),
    }),
    "only on cluster jewels",
  ),
};

/** What a jewel does to the passive tree. */
export interface ItemJewelData extends Schema.Struct.Type<typeof fields> {}
/** What a jewel does to the passive tree. */
export const ItemJewelData: RecordSchema<ItemJewelData, typeof fields> =
  /*#__PURE__*/ record<ItemJewelData>()(
    "ItemJewelData",
    "What a jewel does to the passive tree",
    fields,
    check,
  );
