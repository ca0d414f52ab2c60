/**
 * Ladders of leagues: one population for each league, in the requested order.
 *
 * A league begins with few characters of low levels; they gain experience as they play, each at a
 * pace of its own that changes from day to day, so that ranks move every five minutes until the
 * league ends. The characters of the seeded accounts are among them. Every character has all
 * measures, so that two orders of one ladder show the same people. An order is an array of 20,000
 * numbers, cached for the last few ladders; entries are built for one page only.
 */
import { Limits } from "@game-data/contract/routes";
import type { Account, Character, EventLadderEntry, LadderEntry } from "@game-data/schemas";
import { LruCache } from "../internal/LruCache.ts";
import { CLASSES, experienceAt, LAST_LEVEL, levelAt } from "./Characters.ts";
import { DAY, isoSeconds, type Realm, type WorldLeague } from "./Leagues.ts";
import { characterName, twoWords } from "./Lexicon.ts";
import { PEOPLE, personAccount } from "./people.ts";
import { hash32, hexId, type Lanes, lanesOf, prng } from "./Prng.ts";

/** Orders of a ladder (§4.2). */
export type LadderSort = "xp" | "depth" | "depthsolo" | "ancestor" | "time" | "score";

/** A sort of everybody, or the experience of one class, in any case of its letters. */
export type LadderOrder = LadderSort | { readonly class: string };

export interface Page<Entry> {
  readonly total: number;
  readonly entries: ReadonlyArray<Entry>;
}

export interface Window {
  readonly offset: number;
  readonly limit: number;
}

/** A page of the entries of `count` ranks, counted from 0. No ladder answers beyond its depth (§8). */
export const pageOf = <Entry>(
  count: number,
  { limit, offset }: Window,
  entryOf: (rank: number) => Entry,
): Page<Entry> => {
  const length = Math.max(0, Math.min(limit, Math.min(count, Limits.ladderDepth) - offset));
  return { total: count, entries: Array.from({ length }, (_, at) => entryOf(offset + at)) };
};

/** A character of a seeded account that plays in the league. */
export interface Resident {
  readonly character: Character;
  readonly account: Account;
}

const SLOT = 300_000;
/** The last characters are made this many days after their league began. */
const LATEST_DAYS = 6;
/** Age in days of a league without an end when the world starts. */
const ENDLESS_DAYS = 3650;

/** When a ladder that is requested at `now` was last computed: every five minutes. */
const slotAt = (now: number): number => Math.floor(now / SLOT) * SLOT;

export const cachedSince = (now: number): string => isoSeconds(slotAt(now));

interface LadderWorld {
  readonly seed: number;
  readonly sizes: { readonly ladderSize: number };
  readonly worldStart: number;
  now(): number;
  /** The characters of the seeded accounts in a league. */
  residents(realm: Realm, league: string): ReadonlyArray<Resident>;
}

/** Days that a league has run, at most until its end. */
const ageInDays = ({ record: { endAt, startAt } }: WorldLeague, world: LadderWorld): number =>
  endAt == null || startAt == null
    ? ENDLESS_DAYS + (slotAt(world.now()) - world.worldStart) / DAY
    : (Math.min(slotAt(world.now()), Date.parse(endAt)) - Date.parse(startAt)) / DAY;

/** What the measures of a character follow from. */
interface Player {
  /** The character's key, hashed. */
  readonly key: Lanes;
  /** Days that the league has run. */
  readonly days: number;
  readonly resident: Resident | undefined;
}

const unit = (key: Lanes, what: string): number => hash32(what, key) / 4294967296;

/** Days after the start of the league on which a character was made: most are made early. */
const joinedAfter = (key: Lanes): number => {
  // By multiplication: `Math.pow` may differ between engines in the last bit.
  const part = unit(key, "/joined");
  return part * part * LATEST_DAYS;
};

/**
 * Days of play after a number of days: time, bent by how much a person plays on each of them. It
 * never falls, because a day has at least a tenth of a day.
 */
const daysPlayed = (key: Lanes, days: number): number => {
  const day = Math.floor(days);
  const at = (which: number): number => unit(key, `/day/${which}`);
  const [from, to] = [at(day), at(day + 1)];
  return days + 0.9 * (from + (to - from) * (days - day) - at(0));
};

const MAX_EXPERIENCE = experienceAt(LAST_LEVEL);

const skill = ({ key }: Player): number => unit(key, "/skill");

const classOf = ({ key, resident }: Player): string =>
  resident?.character.class ?? CLASSES[hash32("/class", key) % CLASSES.length]!;

/** The measure that each sort compares. */
const MEASURES: Readonly<Record<LadderSort, (player: Player) => number>> = {
  /** As if there were no last level: the first to reach it stays above the others. */
  xp: (player) => {
    const { days, key, resident } = player;
    if (resident?.character.experience != null) return resident.character.experience;
    const played = daysPlayed(key, Math.max(0, days - joinedAfter(key)));
    const slowness = 1 - skill(player);
    // A faster player reaches half of the experience sooner.
    const share = played / (played + 3 + 57 * slowness * slowness);
    return Math.floor(MAX_EXPERIENCE * 1.5 * (1 - 0.8 * slowness) * share * share);
  },
  depth: ({ key }) => {
    const part = unit(key, "/depth");
    return Math.floor(part * part * part * 6000);
  },
  depthsolo: (player) => Math.floor(MEASURES.depth(player) * unit(player.key, "/solo")),
  time: (player) =>
    1800 + Math.floor((1 - skill(player)) * 90_000 + unit(player.key, "/time") * 3000),
  score: (player) => Math.floor(skill(player) * 900 + unit(player.key, "/score") * 100),
  ancestor: ({ key }) => 1 + Math.floor(unit(key, "/ancestor") * 2000),
};

export class Ladders {
  readonly #world: LadderWorld;
  /** At most 24 × 80 kB. */
  readonly #orders = new LruCache<Uint32Array>(24);

  constructor(world: LadderWorld) {
    this.#world = world;
  }

  page(league: WorldLeague, realm: Realm, order: LadderOrder, window: Window): Page<LadderEntry> {
    const { seed, sizes } = this.#world;
    const residents = this.#world.residents(realm, league.record.id);
    const days = ageInDays(league, this.#world);
    const key = `${seed}/ladder/${realm}/${league.record.id}/`;
    const lanes = lanesOf(key);
    const playerOf = (index: number): Player => ({
      key: lanesOf(String(index), lanes),
      days,
      resident: residents[index],
    });
    const name = typeof order === "string" ? order : `class/${order.class.toLowerCase()}`;
    const ranked = this.#orders.get(`${key}${name}/${days}`, () =>
      rank(order, sizes.ladderSize, playerOf),
    );
    return pageOf(ranked.length, window, (at) => {
      const index = ranked[at]!;
      const entry = entryOf(league, `${key}${index}`, playerOf(index));
      const account = residents[index]?.account ?? stranger(seed, league, realm, `${key}${index}`);
      return { rank: at + 1, ...entry, account };
    });
  }

  /** A page of the ladder of the private leagues that compete in an event. */
  eventPage({ record }: WorldLeague, realm: Realm, window: Window): Page<EventLadderEntry> {
    const { seed, sizes } = this.#world;
    return pageOf(record.leagueEvent === true ? sizes.ladderSize : 0, window, (at) => {
      const draw = prng(`${seed}/event-ladder/${realm}/${record.id}/${at}`);
      const number = 10_000 + at;
      return {
        rank: at + 1,
        ...(draw.chance(0.01) && { ineligible: true }),
        // Ranks are spread, so that the time of a rank needs no knowledge of the others.
        time: 3600 + at * 7 + draw.int(0, 6),
        private_league: {
          name: `${twoWords(draw)} (PL${number})`,
          url: `https://forum.example.com/private-leagues/PL${number}`,
        },
      };
    });
  }
}

const stranger = (seed: number, { record }: WorldLeague, realm: Realm, key: string): Account =>
  personAccount(seed, hash32(key) % PEOPLE, realm, record.category?.id ?? undefined);

const entryOf = ({ record }: WorldLeague, key: string, player: Player) => {
  const draw = prng(`${key}/entry`);
  const isHardcore = record.rules?.some(({ id }) => id === "Hardcore") === true;
  const own = player.resident?.character;
  const { ancestor, depth, depthsolo, score, time, xp } = MEASURES;
  const experience = Math.min(MAX_EXPERIENCE, xp(player));
  return {
    ...(isHardcore && draw.chance(0.4) && { dead: true }),
    ...(draw.chance(0.02) && { retired: true }),
    ...(draw.chance(0.01) && { ineligible: true }),
    ...(draw.chance(0.7) && { public: true }),
    character: {
      id: own?.id ?? hexId(`${key}/id`, 64),
      name: own?.name ?? characterName(draw),
      level: own?.level ?? levelAt(experience),
      class: classOf(player),
      ...(record.timedEvent === true && { time: time(player) }),
      ...(record.scoreEvent === true && { score: score(player) }),
      ...(record.ancestorEvent === true && { progress: { ancestor: ancestor(player) } }),
      experience,
      depth: { default: depth(player), solo: depthsolo(player) },
    },
  };
};

/** The characters that have joined a league, by their numbers, in an order. */
const rank = (
  order: LadderOrder,
  size: number,
  playerOf: (index: number) => Player,
): Uint32Array => {
  const sort = typeof order === "string" ? order : "xp";
  // The fastest is first, and of all other measures the greatest.
  const sign = sort === "time" ? 1 : -1;
  const weights = new Float64Array(size);
  const members: Array<number> = [];
  for (let index = 0; index < size; index++) {
    const player = playerOf(index);
    const { days, key, resident } = player;
    const hasJoined = resident !== undefined || days > LATEST_DAYS || joinedAfter(key) < days;
    const isMeant =
      typeof order === "string" || classOf(player).toLowerCase() === order.class.toLowerCase();
    if (!hasJoined || !isMeant) continue;
    weights[index] = sign * MEASURES[sort](player);
    members.push(index);
  }
  return Uint32Array.from(members.toSorted((a, b) => weights[a]! - weights[b]! || a - b));
};
