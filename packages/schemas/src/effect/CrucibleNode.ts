/** A node of an item's crucible tree (§2, CrucibleNode). */
import * as Plain from "../plain/generated/CrucibleNode.ts";
import {
  alwaysTrue,
  nullish,
  record,
  string,
  strings,
  uint,
  type RecordSchema,
} from "../internal/wire.ts";

const fields = {
  skill: /*#__PURE__*/ nullish(uint, "mod hash"),
  tier: /*#__PURE__*/ nullish(uint, "mod tier"),
  icon: /*#__PURE__*/ nullish(string),
  allocated: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  isNotable: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  isReward: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  stats: /*#__PURE__*/ nullish(strings),
  reminderText: /*#__PURE__*/ nullish(strings),
  orbit: /*#__PURE__*/ nullish(uint, "the column occupied"),
  orbitIndex: /*#__PURE__*/ nullish(uint, "position within the column"),
  out: strings,
  in: strings,
};

/** A node of an item's crucible tree. */
export type CrucibleNode = Plain.CrucibleNode;
/** A node of an item's crucible tree. */
export const CrucibleNode: RecordSchema<CrucibleNode, typeof fields> =
  /*#__PURE__*/ record<CrucibleNode>()(
    Plain.CrucibleNode,
    "A node of an item's crucible tree",
    fields,
  );
