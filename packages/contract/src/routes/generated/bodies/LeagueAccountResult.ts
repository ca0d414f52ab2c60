/**
 * LeagueAccountResult.
 *
 * Generated from the schema of `LeagueAccountResult` by `pnpm generate`. Not to be edited.
 */
import { makeRecord, type PlainRecord, type Shape } from "@game-data/schemas/PlainRecord";
import { LeagueAccount } from "@game-data/schemas/LeagueAccount";

/** LeagueAccountResult. */
export interface LeagueAccountResult {
  readonly league_account: LeagueAccount;
}

const shape: Shape = { league_account: ["@", LeagueAccount] };

/** LeagueAccountResult. */
export const LeagueAccountResult: PlainRecord<LeagueAccountResult> = /*#__PURE__*/ makeRecord(
  "LeagueAccountResult",
  shape,
  check,
);

function check(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
    if (key === "league_account") {
      if (!LeagueAccount.is(member)) return false;
      required++;
    }
  }
  return required === 1;
}
