/** A group of passive nodes (§2, PassiveGroup). */
import * as Plain from "../plain/generated/PassiveGroup.ts";
import * as wire from "../internal/wire.ts";

const fields = {
  x: wire.float,
  y: wire.float,
  orbits: wire.uints,
  isProxy: /*#__PURE__*/ wire.nullish(wire.alwaysTrue, "always true if present"),
  proxy: /*#__PURE__*/ wire.nullish(wire.string, "identifier of the placeholder node"),
  nodes: /*#__PURE__*/ wire.describe(wire.strings, "node identifiers of the group"),
};

/** A group of passive nodes. */
export type PassiveGroup = Plain.PassiveGroup;
export const PassiveGroup: wire.RecordSchema<PassiveGroup, typeof fields> =
  /*#__PURE__*/ wire.record(Plain.PassiveGroup, "A group of passive nodes", fields);
