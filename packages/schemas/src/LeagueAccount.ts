/** The atlas passive trees of an account in a league (§2, LeagueAccount). */
import type * as Schema from "effect/Schema";
import { check } from "./internal/generated/LeagueAccount.ts";
import { array, maybe, open, record, string, uints, type RecordSchema } from "./internal/wire.ts";

const fields = {
  atlas_passives: /*#__PURE__*/ maybe(/*#__PURE__*/ open({ hashes: uints })),
  atlas_passive_trees: /*#__PURE__*/ array(/*#__PURE__*/ open({ name: string, hashes: uints })),
};

/** The atlas passive trees of an account in a league. */
export interface LeagueAccount extends Schema.Struct.Type<typeof fields> {}
/** The atlas passive trees of an account in a league. */
export const LeagueAccount: RecordSchema<LeagueAccount, typeof fields> =
  /*#__PURE__*/ record<LeagueAccount>()(
    "LeagueAccount",
    "The atlas passive trees of an account in a league",
    fields,
    check,
  );
