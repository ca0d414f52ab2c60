/** A rank of a league's ladder (§2, LadderEntry). */
import * as Schema from "effect/Schema";
import { Account } from "./Account.ts";
import * as Plain from "../plain/generated/LadderEntry.ts";
import * as wire from "../internal/wire.ts";

const fields = {
  rank: wire.uint,
  dead: /*#__PURE__*/ wire.nullish(wire.bool),
  retired: /*#__PURE__*/ wire.nullish(wire.bool),
  ineligible: /*#__PURE__*/ wire.nullish(wire.bool),
  public: /*#__PURE__*/ wire.nullish(wire.bool),
  character: /*#__PURE__*/ wire.openStruct({
    id: /*#__PURE__*/ wire.describe(
      /*#__PURE__*/ wire.formattedString("hex-64"),
      "unique 64-digit hexadecimal string",
    ),
    name: wire.string,
    level: wire.uint,
    class: wire.string,
    time: /*#__PURE__*/ wire.nullish(wire.uint, "seconds taken to complete the league objective"),
    score: /*#__PURE__*/ wire.nullish(wire.uint, "count of objective completions"),
    progress: /*#__PURE__*/ wire.nullish(
      /*#__PURE__*/ wire.dictionary(Schema.Any as wire.Wire<unknown>),
      "contents depend on the league objective",
    ),
    experience: /*#__PURE__*/ wire.nullish(wire.uint),
    depth: /*#__PURE__*/ wire.nullish(
      /*#__PURE__*/ wire.openStruct({
        default: /*#__PURE__*/ wire.nullish(wire.uint),
        solo: /*#__PURE__*/ wire.nullish(wire.uint),
      }),
      "deepest Delve depth completed",
    ),
  }),
  account: /*#__PURE__*/ wire.nullish(Account),
};

/** A rank of a league's ladder. */
export type LadderEntry = Plain.LadderEntry;
export const LadderEntry: wire.RecordSchema<LadderEntry, typeof fields> = /*#__PURE__*/ wire.record(
  Plain.LadderEntry,
  "A rank of a league's ladder",
  fields,
);
