/**
 * Generated people, who are not seeded accounts: owners of public stashes, and others on ladders
 * and in matches.
 *
 * A person is a number; name, guild and the rest follow from it, so that a person has the same
 * guild in a ladder and in a team.
 */
import type { Account, Guild } from "@game-data/schemas";
import { ADJECTIVES, ASSETS, givenName, NOUNS } from "./Lexicon.ts";
import { prng } from "./Prng.ts";
import type { Realm } from "./Leagues.ts";

/** Number of people besides the seeded accounts. */
export const PEOPLE = 60_000;
const GUILDS = 400;

/** Makes the guild that has this number. */
const guild = (seed: number, number: number): Guild => {
  const draw = prng(`${seed}/guild/${number}`);
  const [first, second] = [draw.pick(ADJECTIVES), draw.pick(NOUNS)];
  const tag = `${first.slice(0, 2)}${second.slice(0, 2)}`.toUpperCase();
  return { id: 1000 + number, name: `${first} ${second}s`, tag };
};

/**
 * Guild of each seeded account, in the order of the accounts, and rank in the guild (0 member, 1
 * officer, 2 leader).
 */
const MEMBERS: ReadonlyArray<readonly [guild: number, rank: number] | undefined> = [
  [0, 2],
  [0, 0],
  undefined,
  [1, 1],
];

/** Returns the guild of a seeded account and its rank there, if it is in a guild. */
export const membership = (seed: number, index: number) => {
  const [number, rank] = MEMBERS[index] ?? [];
  return number === undefined ? undefined : { guild: guild(seed, number), rank: rank! };
};

/** Returns the account name of a generated person. */
export const personName = (seed: number, person: number): string => {
  const draw = prng(`${seed}/person/${person}`);
  return `${givenName(draw)}#${String(draw.int(0, 9999)).padStart(4, "0")}`;
};

/**
 * Returns a generated person's account as ladders show it. `set` adds the progress in the
 * challenges of a league.
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
  const image = `${ASSETS}/streams/${person}.jpg`;
  const stream = { name: channel, image, status: "Looking for the viaduct" };
  return {
    name,
    realm,
    ...(draw.chance(0.35) && { guild: guild(seed, draw.int(0, GUILDS - 1)) }),
    ...(set !== undefined && { challenges: { set, completed: draw.int(0, 40), max: 40 } }),
    ...(draw.chance(0.05) && {
      livestream: { name: channel, ...(draw.chance(0.5) && { stream }) },
    }),
  };
};
