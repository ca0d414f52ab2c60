/** A rank of a league's ladder (§2, LadderEntry). */
import * as Schema from "effect/Schema";
import { Account } from "./Account.ts";
import * as Plain from "../plain/generated/LadderEntry.ts";
import {
  bool,
  dictionary,
  formattedString,
  nullish,
  describe,
  openStruct,
  record,
  string,
  uint,
  type RecordSchema,
  type Wire,
} from "../internal/wire.ts";

const fields = {
  rank: uint,
  dead: /*#__PURE__*/ nullish(bool),
  retired: /*#__PURE__*/ nullish(bool),
  ineligible: /*#__PURE__*/ nullish(bool),
  public: /*#__PURE__*/ nullish(bool),
  character: /*#__PURE__*/ openStruct({
    id: /*#__PURE__*/ describe(
      /*#__PURE__*/ formattedString("hex-64"),
      "unique 64-digit hexadecimal string",
    ),
    name: string,
    level: uint,
    class: string,
    time: /*#__PURE__*/ nullish(uint, "seconds taken to complete the league objective"),
    score: /*#__PURE__*/ nullish(uint, "count of objective completions"),
    progress: /*#__PURE__*/ nullish(
      /*#__PURE__*/ dictionary(Schema.Any as Wire<unknown>),
      "contents depend on the league objective",
    ),
    experience: /*#__PURE__*/ nullish(uint),
    depth: /*#__PURE__*/ nullish(
      /*#__PURE__*/ openStruct({
        default: /*#__PURE__*/ nullish(uint),
        solo: /*#__PURE__*/ nullish(uint),
      }),
      "deepest Delve depth completed",
    ),
  }),
  account: /*#__PURE__*/ nullish(Account),
};

/** A rank of a league's ladder. */
export type LadderEntry = Plain.LadderEntry;
/** A rank of a league's ladder. */
export const LadderEntry: RecordSchema<LadderEntry, typeof fields> =
  /*#__PURE__*/ record<LadderEntry>()(Plain.LadderEntry, "A rank of a league's ladder", fields);
