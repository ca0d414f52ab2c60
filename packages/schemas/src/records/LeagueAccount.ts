import { type Members, optional, type PlainRecord, record } from "../record.ts";

const leagueAccount = {
  atlas_passives: optional({ hashes: "uint[]" }),
  atlas_passive_trees: [{ name: "string", hashes: "uint[]" }],
} as const;
/** The atlas passives that an account has allocated in a league. */
export interface LeagueAccount extends Members<typeof leagueAccount> {}
export const LeagueAccount: PlainRecord<LeagueAccount> = record("LeagueAccount", leagueAccount);
