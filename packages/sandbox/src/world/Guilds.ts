/**
 * Which seeded accounts are together in a guild, and how much of its stash each of them may see.
 */
import type { Guild } from "@game-data/schemas";
import { guildOf } from "./generatedAccounts.ts";

/** A place in a guild. */
interface Membership {
  readonly guild: Guild;
  /** 0 member, 1 officer, 2 leader: a tab is seen from its own rank upwards. */
  readonly rank: number;
}

/** Guild and rank by the account's place in the list; the last accounts are in none. */
const MEMBERS: ReadonlyArray<readonly [guild: number, rank: number] | undefined> = [
  [0, 2],
  [0, 0],
  undefined,
  [1, 1],
  undefined,
  undefined,
];

/** The guild of a seeded account, if it is in one. */
export const membershipOf = (seed: number, index: number): Membership | undefined => {
  const member = MEMBERS[index];
  return member === undefined ? undefined : { guild: guildOf(seed, member[0]), rank: member[1] };
};
