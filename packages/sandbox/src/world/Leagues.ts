/**
 * Leagues: permanent ones, the current challenge, events, seasons past, and the private leagues of
 * an account.
 *
 * Names depend on nothing but the catalogue, so a test may rely on `Standard` and `Tidewrack`;
 * dates stand relative to the start of the world. Lists are small and built on demand.
 */
import type { League, LeagueRule } from "@game-data/schemas";
import { LEAGUE_NAMES, twoWords } from "./Lexicon.ts";
import { prng } from "./Prng.ts";
import type { Realm } from "./Realm.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** An instant of one world: what a generated thing depends on beside its own name. */
export interface WorldMoment {
  readonly seed: number;
  /** The hour of the start: dates stand relative to it. */
  readonly worldStart: number;
  /** The virtual time in milliseconds. */
  readonly now: number;
}

/** An instant as the wire writes it: seconds, UTC. */
export const isoSeconds = (instant: number): string =>
  `${new Date(instant).toISOString().slice(0, 19)}Z`;

const RULES = {
  Hardcore: {
    id: "Hardcore",
    name: "Hardcore",
    description: "A character killed in Hardcore is moved to its parent league.",
  },
  NoParties: { id: "NoParties", name: "Solo", description: "You may not party in this league." },
  HardMode: { id: "HardMode", name: "Ruthless", description: "Finds are rare, and kept." },
} as const satisfies Record<string, LeagueRule>;

/** Default order of a league's ladder. */
type LadderKind = "xp" | "time" | "score" | "ancestor";

/** A league and what only the world knows of it. */
export interface WorldLeague {
  readonly record: League;
  readonly ladder: LadderKind;
  readonly isHardcore: boolean;
  /** Which answers list it. */
  readonly list: "main" | "event" | "season" | "private" | "past";
  readonly season?: string;
  /** Whether private leagues compete in it (`/event-ladder`). */
  readonly hasEventLadder: boolean;
}

const VARIANTS = [
  { before: "", rules: [] as ReadonlyArray<LeagueRule> },
  { before: "Hardcore ", rules: [RULES.Hardcore] },
  { before: "Solo ", rules: [RULES.NoParties] },
  { before: "Solo Hardcore ", rules: [RULES.Hardcore, RULES.NoParties] },
  { before: "Ruthless ", rules: [RULES.HardMode] },
] as const;

/** Members of a league in their order on the wire; it can be joined an hour before it begins. */
const recordOf = (
  id: string,
  realm: Realm,
  [start, days]: readonly [start: number, days: number],
  about: Required<Pick<League, "category" | "rules">> &
    Partial<League> & { readonly last?: Partial<League> },
): League => {
  const { category, description, event, goal, last, registerAt, rules, url } = about;
  return {
    id,
    realm,
    name: id,
    ...(description !== undefined && { description }),
    category,
    rules,
    registerAt: registerAt ?? isoSeconds(start - HOUR),
    ...(event !== undefined && { event }),
    ...(goal !== undefined && { goal }),
    url: url ?? `https://forum.example.com/ladders/${encodeURIComponent(id)}`,
    startAt: isoSeconds(start),
    endAt: days === Infinity ? null : isoSeconds(start + days * DAY),
    ...last,
  };
};

/** A league that some answers list. */
const worldLeague = (
  record: League,
  list: WorldLeague["list"],
  more: Partial<Pick<WorldLeague, "ladder" | "season" | "hasEventLadder">> = {},
): WorldLeague => ({
  record,
  list,
  ladder: "xp",
  hasEventLadder: false,
  isHardcore: record.rules?.some((rule) => rule.id === "Hardcore") === true,
  ...more,
});

/**
 * A league that somebody plays in: a variant of the permanent league or of the challenge league.
 */
interface HomeLeague {
  readonly variant: number;
  readonly isChallenge: boolean;
}

export const HOME_LEAGUES: ReadonlyArray<HomeLeague> = VARIANTS.flatMap((_, variant) => [
  { variant, isChallenge: false },
  { variant, isChallenge: true },
]);

const permanentName = (before: string): string =>
  before === "Hardcore " ? "Hardcore" : `${before}Standard`;

export const homeName = (realm: Realm, { isChallenge, variant }: HomeLeague, number: number) =>
  isChallenge
    ? `${VARIANTS[variant]!.before}${challengeNameOf(realm, number)}`
    : permanentName(VARIANTS[variant]!.before);

/** Returns the league to which characters and stashes of a challenge league move when it ends. */
export const parentLeague = (name: string): string => {
  const { before } = VARIANTS.toReversed().find((one) => name.startsWith(one.before))!;
  return permanentName(before);
};

export const variantsOf = (name: string): ReadonlyArray<string> =>
  VARIANTS.map(({ before }) => `${before}${name}`);

/** Suffix of the name of a tab that an ended league has left behind. */
export const REMOVE_ONLY = " (Remove-only)";

const FIRST_LEAGUES = Date.parse("2019-09-06T19:00:00Z");

const permanent = (realm: Realm): Array<WorldLeague> =>
  VARIANTS.map(({ before, rules }) => {
    const id = permanentName(before);
    const record = recordOf(id, realm, [FIRST_LEAGUES, Infinity], {
      description: "A league that never ends.",
      category: { id: "Standard" },
      rules: [...rules],
      registerAt: isoSeconds(FIRST_LEAGUES),
    });
    return worldLeague(record, "main");
  });

/** The challenge league at the start of the world; the next one follows when its time is over. */
const FIRST_CHALLENGE = 2;
const CHALLENGE_DAYS = 120;
/** Age of the first challenge league at the start of the world. */
const CHALLENGE_AGE_DAYS = 40;

/** Returns the number of challenge leagues that have ended since the start of the world. */
export const challengeNumber = (worldStart: number, now: number): number =>
  Math.max(0, Math.floor((now - worldStart + CHALLENGE_AGE_DAYS * DAY) / (CHALLENGE_DAYS * DAY)));

export const challengeName = (realm: Realm, worldStart: number, now: number): string =>
  challengeNameOf(realm, challengeNumber(worldStart, now));

/** Hours since a league began; undefined for one that never ends, or has ended. */
export const leagueAge = (
  realm: Realm,
  worldStart: number,
  name: string,
  now: number,
): number | undefined => {
  const number = challengeNumber(worldStart, now);
  return name.endsWith(challengeNameOf(realm, number))
    ? Math.max(0, Math.floor((now - challengeStart(worldStart, number)) / HOUR))
    : undefined;
};

const challengeStart = (worldStart: number, number: number): number =>
  worldStart + (number * CHALLENGE_DAYS - CHALLENGE_AGE_DAYS) * DAY;

const challengeNameOf = (realm: Realm, number: number): string => {
  const offset = realm === "game2" ? LEAGUE_NAMES.length / 2 : 0;
  return LEAGUE_NAMES[(FIRST_CHALLENGE + offset + number) % LEAGUE_NAMES.length]!;
};

const challenge = (
  realm: Realm,
  worldStart: number,
  number: number,
  isCurrent: boolean,
): Array<WorldLeague> =>
  VARIANTS.map(({ before, rules }) => {
    const name = challengeNameOf(realm, number);
    const start = challengeStart(worldStart, number);
    const record = recordOf(`${before}${name}`, realm, [start, CHALLENGE_DAYS], {
      description: "The challenge league of this season.",
      // §2: `current` is set for active challenge leagues, and left out for the others.
      category: isCurrent ? { id: name, current: true } : { id: name },
      rules: [...rules],
      goal: "Finish 40 challenges.",
    });
    return worldLeague(record, isCurrent ? "main" : "past");
  });

/**
 * Events at the same time: more than one answer of `/league` holds, so that `offset` has something
 * to do.
 */
const EVENTS = 64;
const EVENT_DAYS = 90;

/** What an event is about, by the default order of its ladder. */
const OBJECTIVES: Readonly<Record<LadderKind, Partial<League>>> = {
  time: { timedEvent: true, goal: "Reach the viaduct." },
  score: { scoreEvent: true, goal: "Light lanterns." },
  ancestor: { ancestorEvent: true },
  xp: { delveEvent: true },
};
const KINDS = Object.keys(OBJECTIVES) as ReadonlyArray<LadderKind>;

const events = (realm: Realm, worldStart: number, now: number): Array<WorldLeague> =>
  Array.from({ length: EVENTS }, (_, index) => {
    const draw = prng(`event/${index}`);
    const kind = KINDS[index % KINDS.length]!;
    const id = `${twoWords(draw)} Race (EV${String(index + 1).padStart(3, "0")})`;
    const first = worldStart - draw.int(1, 40) * HOUR;
    // The same race is held again when it is over: there are current events at all times.
    const rounds = Math.max(0, Math.floor((now - first) / (EVENT_DAYS * DAY)));
    const start = first + rounds * EVENT_DAYS * DAY;
    const record = recordOf(id, realm, [start, EVENT_DAYS], {
      description: "An event of a few days.",
      category: { id: "Event" },
      rules: draw.chance(0.5) ? [RULES.NoParties] : [RULES.Hardcore, RULES.NoParties],
      event: true,
      last: { ...OBJECTIVES[kind], ...(index === 0 && { leagueEvent: true }) },
    });
    return worldLeague(record, "event", { ladder: kind, hasEventLadder: index === 0 });
  });

/** Seasons past; each had its races. */
const SEASONS = 3;

const seasons = (realm: Realm, worldStart: number): Array<WorldLeague> =>
  realm === "game2"
    ? []
    : Array.from({ length: SEASONS * 8 }, (_, index) => {
        const season = `Season ${Math.floor(index / 8) + 1}`;
        const id = `${season} Race ${(index % 8) + 1}`;
        const start = worldStart - (500 - index * 7) * DAY;
        const rules = [RULES.NoParties];
        const goal = "Reach the viaduct.";
        const about = { category: { id: season }, rules, event: true, goal };
        const record = recordOf(id, realm, [start, 3 / 24], {
          ...about,
          last: { timedEvent: true },
        });
        return worldLeague(record, "season", { ladder: "time", season });
      });

/** Every league of a realm that everybody may see at an instant, in the order of the lists. */
export const leaguesOf = (
  realm: Realm,
  worldStart: number,
  now: number,
): ReadonlyArray<WorldLeague> => {
  const number = challengeNumber(worldStart, now);
  const past = Array.from({ length: Math.min(number, LEAGUE_NAMES.length / 2 - 1) }, (_, index) =>
    challenge(realm, worldStart, number - index - 1, false),
  ).flat();
  return [
    ...permanent(realm),
    ...challenge(realm, worldStart, number, true),
    ...events(realm, worldStart, now),
    ...seasons(realm, worldStart),
    ...past,
  ];
};

/** The private leagues that an account belongs to; `/account/leagues` alone tells of them. */
export const privateLeagues = (
  account: string,
  realm: Realm,
  worldStart: number,
): ReadonlyArray<WorldLeague> => {
  const draw = prng(`private/${account}/${realm}`);
  return Array.from({ length: draw.int(1, 2) }, (_, index) => {
    const number = draw.int(1000, 99_999);
    const id = `${twoWords(draw)} (PL${number})`;
    const start = worldStart - draw.int(2, 20) * DAY;
    const record = recordOf(id, realm, [start, 365], {
      category: { id: "Private" },
      rules: index === 0 ? [] : [RULES.Hardcore],
      registerAt: isoSeconds(start),
      url: `https://forum.example.com/private-leagues/PL${number}`,
    });
    return worldLeague(record, "private");
  });
};
