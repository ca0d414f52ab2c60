/** A group of passive nodes (§2, PassiveGroup). */
import * as Plain from "../plain/generated/PassiveGroup.ts";
import {
  alwaysTrue,
  float,
  nullish,
  describe,
  record,
  string,
  strings,
  uints,
  type RecordSchema,
} from "../internal/wire.ts";

const fields = {
  x: float,
  y: float,
  orbits: uints,
  isProxy: /*#__PURE__*/ nullish(alwaysTrue, "always true if present"),
  proxy: /*#__PURE__*/ nullish(string, "identifier of the placeholder node"),
  nodes: /*#__PURE__*/ describe(strings, "node identifiers of the group"),
};

/** A group of passive nodes. */
export type PassiveGroup = Plain.PassiveGroup;
/** A group of passive nodes. */
export const PassiveGroup: RecordSchema<PassiveGroup, typeof fields> =
  /*#__PURE__*/ record<PassiveGroup>()(Plain.PassiveGroup, "A group of passive nodes", fields);
