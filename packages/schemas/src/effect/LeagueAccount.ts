/** The atlas passive trees of an account in a league (§2, LeagueAccount). */
import * as Plain from "../plain/generated/LeagueAccount.ts";
import {
  array,
  nullish,
  openStruct,
  record,
  string,
  uints,
  type RecordSchema,
} from "../internal/wire.ts";

const fields = {
  atlas_passives: /*#__PURE__*/ nullish(/*#__PURE__*/ openStruct({ hashes: uints })),
  atlas_passive_trees: /*#__PURE__*/ array(
    /*#__PURE__*/ openStruct({ name: string, hashes: uints }),
  ),
};

/** The atlas passive trees of an account in a league. */
export type LeagueAccount = Plain.LeagueAccount;
/** The atlas passive trees of an account in a league. */
export const LeagueAccount: RecordSchema<LeagueAccount, typeof fields> =
  /*#__PURE__*/ record<LeagueAccount>()(
    Plain.LeagueAccount,
    "The atlas passive trees of an account in a league",
    fields,
  );
