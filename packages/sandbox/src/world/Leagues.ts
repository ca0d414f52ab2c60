/**
 * Leagues: permanent ones, the current challenge, events, seasons past, and the private leagues of
 * an account.
 *
 * Names depend on nothing but the catalogue, so a test may rely on `Standard` and `Tidewrack`;
 * dates are relative to the start of the world. Lists are small and built on demand.
 */
import type { League, LeagueRule } from "@game-data/schemas";
import { LEAGUE_NAMES, twoWords } from "./Lexicon.ts";
import { prng } from "./Prng.ts";

/** The realms of the world, in the specification's neutral words (§1). */
export type Realm = "pc" | "console_a" | "console_b" | "game2";

/** A realm of game 1. Only these realms have stashes, ladders and matches. */
export type GameOneRealm = Exclude<Realm, "game2">;

export const REALMS: ReadonlyArray<Realm> = ["pc", "console_a", "console_b", "game2"];

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** World and instant, from which a generated thing follows together with its own name. */
export interface WorldMoment {
  readonly seed: number;
  /** Start of the world, rounded down to the hour. Dates are relative to it. */
  readonly worldStart: number;
  /** Virtual time, in milliseconds since the epoch. */
  readonly now: number;
}

/** Formats an instant as responses do: UTC, to the second. */
export const isoSeconds = (instant: number): string =>
  `${new Date(instant).toISOString().slice(0, 19)}Z`;

const rule = (id: string, name: string, description: string): LeagueRule => ({
  id,
  name,
  description,
});
const HARDCORE = rule(
  "Hardcore",
  "Hardcore",
  "A character killed in Hardcore is moved to its parent league.",
);
const SOLO = rule("NoParties", "Solo", "You may not party in this league.");
const RUTHLESS = rule("HardMode", "Ruthless", "Finds are rare, and kept.");

/** A league, and the list of the data API that contains it. */
export interface WorldLeague {
  readonly record: League;
  readonly list: "main" | "event" | "season" | "private" | "past";
}

/** Makes the record of a league, which can be joined an hour before it begins. */
const league = (
  id: string,
  realm: Realm,
  [start, days]: readonly [start: number, days: number],
  about: Partial<League>,
): League => ({
  id,
  realm,
  name: id,
  registerAt: isoSeconds(start - HOUR),
  url: `https://forum.example.com/ladders/${encodeURIComponent(id)}`,
  startAt: isoSeconds(start),
  endAt: days === Infinity ? null : isoSeconds(start + days * DAY),
  ...about,
});

/** Variants of the permanent league and of each challenge league: prefix of the name, and rules. */
const VARIANTS: ReadonlyArray<readonly [prefix: string, rules: ReadonlyArray<LeagueRule>]> = [
  ["", []],
  ["Hardcore ", [HARDCORE]],
  ["Solo ", [SOLO]],
  ["Solo Hardcore ", [HARDCORE, SOLO]],
  ["Ruthless ", [RUTHLESS]],
];

/** Returns the names of the five variants of a challenge league. */
export const variantNames = (name: string): ReadonlyArray<string> =>
  VARIANTS.map(([prefix]) => prefix + name);

const permanentName = (prefix: string): string =>
  prefix === "Hardcore " ? "Hardcore" : `${prefix}Standard`;

/** Returns the league to which characters and stashes move when a challenge league ends. */
export const parentLeague = (name: string): string =>
  permanentName(VARIANTS.findLast(([prefix]) => name.startsWith(prefix))![0]);

/** A league with stashes: a variant of the permanent league or of the challenge league. */
export interface HomeLeague {
  readonly variant: number;
  readonly isChallenge: boolean;
}

export const HOME_LEAGUES: ReadonlyArray<HomeLeague> = VARIANTS.flatMap((_, variant) => [
  { variant, isChallenge: false },
  { variant, isChallenge: true },
]);

/** Returns the name of a home league while the challenge league `number` runs. */
export const homeName = (realm: Realm, { isChallenge, variant }: HomeLeague, number: number) => {
  const [prefix] = VARIANTS[variant]!;
  return isChallenge ? prefix + numberedName(realm, number) : permanentName(prefix);
};

/** Suffix of the name of a tab that an ended league has left behind. */
export const REMOVE_ONLY = " (Remove-only)";

/** Index in `LEAGUE_NAMES` of the challenge league in which the world starts. */
const FIRST_CHALLENGE = 2;
const CHALLENGE_DAYS = 120;
/** Age of the first challenge league at the start of the world. */
const CHALLENGE_AGE_DAYS = 40;

/** Returns the number of challenge leagues that have ended since the start of the world. */
export const challengeNumber = (worldStart: number, now: number): number =>
  Math.max(0, Math.floor((now - worldStart + CHALLENGE_AGE_DAYS * DAY) / (CHALLENGE_DAYS * DAY)));

export const challengeName = (realm: Realm, worldStart: number, now: number): string =>
  numberedName(realm, challengeNumber(worldStart, now));

const numberedName = (realm: Realm, number: number): string => {
  const offset = realm === "game2" ? LEAGUE_NAMES.length / 2 : 0;
  return LEAGUE_NAMES[(FIRST_CHALLENGE + offset + number) % LEAGUE_NAMES.length]!;
};

const challengeStart = (worldStart: number, number: number): number =>
  worldStart + (number * CHALLENGE_DAYS - CHALLENGE_AGE_DAYS) * DAY;

/** Returns the hours since a challenge league began, or undefined for any other league. */
export const leagueAge = (
  realm: Realm,
  worldStart: number,
  name: string,
  now: number,
): number | undefined => {
  const number = challengeNumber(worldStart, now);
  return name.endsWith(numberedName(realm, number))
    ? Math.max(0, Math.floor((now - challengeStart(worldStart, number)) / HOUR))
    : undefined;
};

const FIRST_LEAGUES = Date.parse("2019-09-06T19:00:00Z");

const permanent = (realm: Realm): ReadonlyArray<WorldLeague> =>
  VARIANTS.map(([prefix, rules]) => ({
    list: "main",
    record: league(permanentName(prefix), realm, [FIRST_LEAGUES, Infinity], {
      description: "A league that never ends.",
      category: { id: "Standard" },
      rules,
      registerAt: isoSeconds(FIRST_LEAGUES),
    }),
  }));

const challenge = (
  realm: Realm,
  worldStart: number,
  number: number,
  isCurrent: boolean,
): ReadonlyArray<WorldLeague> => {
  const id = numberedName(realm, number);
  const span = [challengeStart(worldStart, number), CHALLENGE_DAYS] as const;
  return VARIANTS.map(([prefix, rules]) => ({
    list: isCurrent ? "main" : "past",
    record: league(prefix + id, realm, span, {
      description: "The challenge league of this season.",
      // §2: `current` is set for active challenge leagues, and left out for the others.
      category: isCurrent ? { id, current: true } : { id },
      rules,
      goal: "Finish 40 challenges.",
    }),
  }));
};

/** Number of simultaneous events: more than one page of `/league` holds, so `offset` is needed. */
const EVENTS = 64;
const EVENT_DAYS = 90;

/** Objectives of events. They decide the order of an event's ladder. */
const OBJECTIVES: ReadonlyArray<Partial<League>> = [
  { timedEvent: true, goal: "Reach the viaduct." },
  { scoreEvent: true, goal: "Light lanterns." },
  { ancestorEvent: true },
  { delveEvent: true },
];

const events = (realm: Realm, worldStart: number, now: number): ReadonlyArray<WorldLeague> =>
  Array.from({ length: EVENTS }, (_, index) => {
    const draw = prng(`event/${index}`);
    const id = `${twoWords(draw)} Race (EV${String(index + 1).padStart(3, "0")})`;
    const first = worldStart - draw.int(1, 40) * HOUR;
    // A race that is over starts again, so that there are current events at all times.
    const rounds = Math.max(0, Math.floor((now - first) / (EVENT_DAYS * DAY)));
    const record = league(id, realm, [first + rounds * EVENT_DAYS * DAY, EVENT_DAYS], {
      description: "An event of a few days.",
      category: { id: "Event" },
      rules: draw.chance(0.5) ? [SOLO] : [HARDCORE, SOLO],
      event: true,
      ...OBJECTIVES[index % OBJECTIVES.length],
      // Private leagues compete in the first event (`/event-ladder`).
      ...(index === 0 && { leagueEvent: true }),
    });
    return { list: "event", record };
  });

/** Number of past seasons, each with `RACES` races. */
const SEASONS = 3;
const RACES = 8;

const seasons = (realm: Realm, worldStart: number): ReadonlyArray<WorldLeague> =>
  Array.from({ length: realm === "game2" ? 0 : SEASONS * RACES }, (_, index) => {
    const season = `Season ${Math.floor(index / RACES) + 1}`;
    const start = worldStart - (500 - index * 7) * DAY;
    const record = league(`${season} Race ${(index % RACES) + 1}`, realm, [start, 3 / 24], {
      category: { id: season },
      rules: [SOLO],
      event: true,
      timedEvent: true,
      goal: "Reach the viaduct.",
    });
    return { list: "season", record };
  });

/** Returns the public leagues of a realm at an instant, in the order of the lists. */
export const publicLeagues = (
  realm: Realm,
  worldStart: number,
  now: number,
): ReadonlyArray<WorldLeague> => {
  const number = challengeNumber(worldStart, now);
  const past = Array.from({ length: Math.min(number, LEAGUE_NAMES.length / 2 - 1) }, (_, index) =>
    challenge(realm, worldStart, number - index - 1, false),
  );
  return [
    ...permanent(realm),
    ...challenge(realm, worldStart, number, true),
    ...events(realm, worldStart, now),
    ...seasons(realm, worldStart),
    ...past.flat(),
  ];
};

/** Returns the private leagues of an account, which only `/account/leagues` lists. */
export const privateLeagues = (
  account: string,
  realm: Realm,
  worldStart: number,
): ReadonlyArray<WorldLeague> => {
  const draw = prng(`private/${account}/${realm}`);
  return Array.from({ length: draw.int(1, 2) }, (_, index) => {
    const number = draw.int(1000, 99_999);
    const start = worldStart - draw.int(2, 20) * DAY;
    const record = league(`${twoWords(draw)} (PL${number})`, realm, [start, 365], {
      category: { id: "Private" },
      rules: index === 0 ? [] : [HARDCORE],
      registerAt: isoSeconds(start),
      url: `https://forum.example.com/private-leagues/PL${number}`,
    });
    return { list: "private", record };
  });
};
