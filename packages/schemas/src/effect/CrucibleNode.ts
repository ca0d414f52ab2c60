/** A node of an item's crucible tree (§2, CrucibleNode). */
import * as Plain from "../plain/generated/CrucibleNode.ts";
import * as wire from "../internal/wire.ts";

const fields = {
  skill: /*#__PURE__*/ wire.nullish(wire.uint, "mod hash"),
  tier: /*#__PURE__*/ wire.nullish(wire.uint, "mod tier"),
  icon: /*#__PURE__*/ wire.nullish(wire.string),
  allocated: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  isNotable: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  isReward: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  stats: /*#__PURE__*/ wire.nullish(wire.strings),
  reminderText: /*#__PURE__*/ wire.nullish(wire.strings),
  orbit: /*#__PURE__*/ wire.nullish(wire.uint, "the column occupied"),
  orbitIndex: /*#__PURE__*/ wire.nullish(wire.uint, "position within the column"),
  out: wire.strings,
  in: wire.strings,
};

/** A node of an item's crucible tree. */
export type CrucibleNode = Plain.CrucibleNode;
export const CrucibleNode: wire.RecordSchema<CrucibleNode, typeof fields> =
  /*#__PURE__*/ wire.record(Plain.CrucibleNode, "A node of an item's crucible tree", fields);
