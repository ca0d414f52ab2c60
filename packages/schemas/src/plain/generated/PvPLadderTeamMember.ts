/**
 * A member of a team on a PvP ladder.
 *
 * Generated from the schema of `PvPLadderTeamMember` by `pnpm generate`. Not to be edited.
 *
 * @example
 * ```ts
 * import { PvPLadderTeamMember } from "@game-data/schemas";
 *
 * const result = PvPLadderTeamMember.safeDecode(null);
 * if (result.ok) throw new Error("null is no PvPLadderTeamMember");
 * ```
 */
import { makeRecord, type PlainRecord } from "../PlainRecord.ts";
import { isObject, isUint } from "../tests.ts";
import { check as checkAccount, Account } from "./Account.ts";

/** A member of a team on a PvP ladder. */
export interface PvPLadderTeamMember {
  readonly account: Account;
  readonly character: {
    /** Unique 64-digit hexadecimal string. */
    readonly id: string;
    readonly name: string;
    readonly level: number;
    readonly class: string;
    readonly league?: string | null;
    /** Count of objective completions. */
    readonly score?: number | null;
  };
  /** Always true if present. */
  readonly public?: boolean | null;
}

/** A member of a team on a PvP ladder. */
export const PvPLadderTeamMember: PlainRecord<PvPLadderTeamMember> = /*#__PURE__*/ makeRecord(
  "PvPLadderTeamMember",
  {
    account: ["@", Account],
    character: { id: "s", name: "s", level: "u", class: "s", "league?": "sn", "score?": "un" },
    "public?": "bn",
  },
  check,
);

function part1(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (key === "id" || key === "name" || key === "class") {
      if (!(typeof member === "string")) return false;
      required++;
    } else if (key === "level") {
      if (!isUint(member)) return false;
      required++;
    } else if (key === "league") {
      if (!(typeof member === "string")) return false;
    } else if (key === "score") {
      if (!isUint(member)) return false;
    }
  }
  return required === 4;
}

/** The check alone; `depth` counts how deep the record is nested in itself. */
export function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (key === "account") {
      if (!checkAccount(member)) return false;
      required++;
    } else if (key === "character") {
      if (!part1(member)) return false;
      required++;
    } else if (key === "public") {
      if (!(typeof member === "boolean")) return false;
    }
  }
  return required === 2;
}
