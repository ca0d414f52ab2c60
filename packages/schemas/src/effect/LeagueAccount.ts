/** The atlas passive trees of an account in a league (§2, LeagueAccount). */
import * as Plain from "../plain/generated/LeagueAccount.ts";
import * as wire from "../internal/wire.ts";

const fields = {
  atlas_passives: /*#__PURE__*/ wire.nullish(/*#__PURE__*/ wire.openStruct({ hashes: wire.uints })),
  atlas_passive_trees: /*#__PURE__*/ wire.array(
    /*#__PURE__*/ wire.openStruct({ name: wire.string, hashes: wire.uints }),
  ),
};

/** The atlas passive trees of an account in a league. */
export type LeagueAccount = Plain.LeagueAccount;
export const LeagueAccount: wire.RecordSchema<LeagueAccount, typeof fields> =
  /*#__PURE__*/ wire.record(
    Plain.LeagueAccount,
    "The atlas passive trees of an account in a league",
    fields,
  );
