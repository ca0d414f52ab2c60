/**
 * The atlas passive trees of an account in a league.
 *
 * Generated from the schema of `LeagueAccount` by `pnpm generate`. Not to be edited.
 *
 * @example
 * ```ts
 * import { LeagueAccount } from "@game-data/schemas";
 *
 * const result = LeagueAccount.safeDecode(null);
 * if (result.ok) throw new Error("null is no LeagueAccount");
 * ```
 */
import { makeRecord, type PlainRecord } from "../PlainRecord.ts";
import { isEach, isObject, isUint } from "../tests.ts";

/** The atlas passive trees of an account in a league. */
export interface LeagueAccount {
  readonly atlas_passives?: { readonly hashes: ReadonlyArray<number> } | null;
  readonly atlas_passive_trees: ReadonlyArray<{
    readonly name: string;
    readonly hashes: ReadonlyArray<number>;
  }>;
}

/** The atlas passive trees of an account in a league. */
export const LeagueAccount: PlainRecord<LeagueAccount> = /*#__PURE__*/ makeRecord(
  "LeagueAccount",
  {
    "atlas_passives?": ["|", "n", { hashes: ["[", "u"] }],
    atlas_passive_trees: ["[", { name: "s", hashes: ["[", "u"] }],
  },
  check,
);

function part1(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "hashes") {
      if (!isEach(member, isUint)) return false;
      required++;
    }
  }
  return required === 1;
}

function part2(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "name") {
      if (!(typeof member === "string")) return false;
      required++;
    } else if (key === "hashes") {
      if (!isEach(member, isUint)) return false;
      required++;
    }
  }
  return required === 2;
}

/** The check alone; `depth` counts how deep the record is nested in itself. */
export function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (key === "atlas_passive_trees") {
      if (!isEach(member, part2)) return false;
      required++;
    } else if (key === "atlas_passives") {
      if (!part1(member)) return false;
    }
  }
  return required === 1;
}
