/** A node of an item's crucible tree (§2, CrucibleNode). */
import type * as Schema from "effect/Schema";
import { check } from "./internal/generated/CrucibleNode.ts";
import { flag, maybe, record, string, strings, uint, type RecordSchema } from "./internal/wire.ts";

const fields = {
  skill: /*#__PURE__*/ maybe(uint, "mod hash"),
  tier: /*#__PURE__*/ maybe(uint, "mod tier"),
  icon: /*#__PURE__*/ maybe(string),
  allocated: /*#__PURE__*/ maybe(flag, "always true if present"),
  isNotable: /*#__PURE__*/ maybe(flag, "always true if present"),
  isReward: /*#__PURE__*/ maybe(flag, "always true if present"),
  stats: /*#__PURE__*/ maybe(strings),
  reminderText: /*#__PURE__*/ maybe(strings),
  orbit: /*#__PURE__*/ maybe(uint, "the column occupied"),
  orbitIndex: /*#__PURE__*/ maybe(uint, "position within the column"),
  out: strings,
  in: strings,
};

/** A node of an item's crucible tree. */
export interface CrucibleNode extends Schema.Struct.Type<typeof fields> {}
/** A node of an item's crucible tree. */
export const CrucibleNode: RecordSchema<CrucibleNode, typeof fields> =
  /*#__PURE__*/ record<CrucibleNode>()(
    "CrucibleNode",
    "A node of an item's crucible tree",
    fields,
    check,
  );
