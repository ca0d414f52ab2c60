/** A group of passive nodes (§2, PassiveGroup). */
import type * as Schema from "effect/Schema";
import { check } from "./internal/generated/PassiveGroup.ts";
import {
  flag,
  float,
  maybe,
  note,
  record,
  string,
  strings,
  uints,
  type RecordSchema,
} from "./internal/wire.ts";

const fields = {
  x: float,
  y: float,
  orbits: uints,
  isProxy: /*#__PURE__*/ maybe(flag, "always true if present"),
  proxy: /*#__PURE__*/ maybe(string, "identifier of the placeholder node"),
  nodes: /*#__PURE__*/ note(strings, "node identifiers of the group"),
};

/** A group of passive nodes. */
export interface PassiveGroup extends Schema.Struct.Type<typeof fields> {}
/** A group of passive nodes. */
export const PassiveGroup: RecordSchema<PassiveGroup, typeof fields> =
  /*#__PURE__*/ record<PassiveGroup>()("PassiveGroup", "A group of passive nodes", fields, check);
