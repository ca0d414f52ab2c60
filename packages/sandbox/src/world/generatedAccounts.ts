/**
 * Everybody who is not a seeded account: the others on ladders, in matches and behind the public
 * stashes.
 *
 * A person is a number; name, guild and the rest follow from it, so that the same person turns up
 * in a ladder and in a team with the same guild.
 */
import type { Account, Guild } from "@game-data/schemas";
import { ADJECTIVES, ASSETS, givenName, NOUNS } from "./Lexicon.ts";
import { prng } from "./Prng.ts";
import type { Realm } from "./Realm.ts";

/** Number of generated accounts besides the seeded ones. */
export const ACCOUNT_COUNT = 60_000;
const GUILDS = 400;

/** A guild by its number. */
export const guildOf = (seed: number, number: number): Guild => {
  const draw = prng(`${seed}/guild/${number}`);
  const [first, second] = [draw.pick(ADJECTIVES), draw.pick(NOUNS)];
  return {
    id: 1000 + number,
    name: `${first} ${second}s`,
    tag: `${first.slice(0, 2)}${second.slice(0, 2)}`.toUpperCase(),
  };
};

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

/** The account name of a person. */
export const personName = (seed: number, person: number): string => {
  const draw = prng(`${seed}/person/${person}`);
  return `${givenName(draw)}#${String(draw.int(0, 9999)).padStart(4, "0")}`;
};

/**
 * A person as ladders show an account: some in a guild, some with challenges, a few on a stream.
 */
export const personAccount = (
  seed: number,
  person: number,
  realm: Realm,
  set?: string,
): Account => {
  const draw = prng(`${seed}/person/${person}/account`);
  const name = personName(seed, person);
  const channel = name.split("#")[0]!.toLowerCase();
  return {
    name,
    realm,
    ...(draw.chance(0.35) && { guild: guildOf(seed, draw.int(0, GUILDS - 1)) }),
    ...(set !== undefined && { challenges: { set, completed: draw.int(0, 40), max: 40 } }),
    ...(draw.chance(0.05) && {
      livestream: {
        name: channel,
        ...(draw.chance(0.5) && {
          stream: {
            name: channel,
            image: `${ASSETS}/streams/${person}.jpg`,
            status: "Looking for the viaduct",
          },
        }),
      },
    }),
  };
};
