/** A rank of a league's ladder (§2, LadderEntry). */
import * as Schema from "effect/Schema";
import { Account } from "./Account.ts";
import { check } from "./internal/generated/LadderEntry.ts";
import {
  bool,
  dictionary,
  formatted,
  maybe,
  note,
  open,
  record,
  string,
  uint,
  type RecordSchema,
  type Wire,
} from "./internal/wire.ts";

const fields = {
  rank: uint,
  dead: /*#__PURE__*/ maybe(bool),
  retired: /*#__PURE__*/ maybe(bool),
  ineligible: /*#__PURE__*/ maybe(bool),
  public: /*#__PURE__*/ maybe(bool),
  character: /*#__PURE__*/ open({
    id: /*#__PURE__*/ note(/*#__PURE__*/ formatted("hex-64"), "unique 64-digit hexadecimal string"),
    name: string,
    level: uint,
    class: string,
    time: /*#__PURE__*/ maybe(uint, "seconds taken to complete the league objective"),
    score: /*#__PURE__*/ maybe(uint, "count of objective completions"),
    progress: /*#__PURE__*/ maybe(
      /*#__PURE__*/ dictionary(Schema.Any as Wire<unknown>),
      "contents depend on the league objective",
    ),
    experience: /*#__PURE__*/ maybe(uint),
    depth: /*#__PURE__*/ maybe(
      /*#__PURE__*/ open({ default: /*#__PURE__*/ maybe(uint), solo: /*#__PURE__*/ maybe(uint) }),
      "deepest Delve depth completed",
    ),
  }),
  account: /*#__PURE__*/ maybe(Account),
};

/** A rank of a league's ladder. */
export interface LadderEntry extends Schema.Struct.Type<typeof fields> {}
/** A rank of a league's ladder. */
export const LadderEntry: RecordSchema<LadderEntry, typeof fields> =
  /*#__PURE__*/ record<LadderEntry>()("LadderEntry", "A rank of a league's ladder", fields, check);
