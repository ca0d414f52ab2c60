/**
 * LeagueAccountResult.
 *
 * Generated from the schema of `LeagueAccountResult` by `pnpm generate`. Not to be edited.
 */
import { makeRecord, type PlainRecord, isObject } from "@game-data/schemas/PlainRecord";
import { LeagueAccount } from "@game-data/schemas/LeagueAccount";

/** LeagueAccountResult. */
export interface LeagueAccountResult {
  readonly league_account: LeagueAccount;
}

/** LeagueAccountResult. */
export const LeagueAccountResult: PlainRecord<LeagueAccountResult> = /*#__PURE__*/ makeRecord(
  "LeagueAccountResult",
  { league_account: ["@", LeagueAccount] },
  check,
);

function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "league_account") {
      if (!LeagueAccount.is(member)) return false;
      required++;
    }
  }
  return required === 1;
}
