/**
 * Ladders of leagues: one population for each league, in the requested order.
 *
 * A league begins with few characters of low levels; they gain experience as they play, each at its
 * own pace, which changes from day to day. Ranks therefore change every five minutes until the
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

/** Values of a ladder's `sort` parameter, except `class` (§4.2). */
export type LadderSort = "xp" | "depth" | "depthsolo" | "ancestor" | "time" | "score";

/** Sort of all characters, or a class, in any case, whose characters are sorted by xp. */
export type LadderOrder = LadderSort | { readonly class: string };

export interface Page<Entry> {
  readonly total: number;
  readonly entries: ReadonlyArray<Entry>;
}

export interface Window {
  readonly offset: number;
  readonly limit: number;
}

/** Returns a page of `count` ranks, counted from 0. No ladder goes beyond its depth (§8). */
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
/** Days after the start of a league in which all its characters are made. */
const LATEST_DAYS = 6;
/** Age in days of a permanent league at the start of the world. */
const ENDLESS_DAYS = 3650;

/** Returns the last full five minutes before `now`, when ladders were last computed. */
const slotAt = (now: number): number => Math.floor(now / SLOT) * SLOT;

export const cachedSince = (now: number): string => isoSeconds(slotAt(now));

interface LadderWorld {
  readonly seed: number;
  readonly sizes: { readonly ladderSize: number };
  readonly worldStart: number;
  now(): number;
  /** Returns the characters of the seeded accounts in a league. */
  residents(realm: Realm, league: string): ReadonlyArray<Resident>;
}

/** Returns the days that a league has run, until its end at most. */
const ageInDays = ({ record: { endAt, startAt } }: WorldLeague, world: LadderWorld): number =>
  endAt == null || startAt == null
    ? ENDLESS_DAYS + (slotAt(world.now()) - world.worldStart) / DAY
    : (Math.min(slotAt(world.now()), Date.parse(endAt)) - Date.parse(startAt)) / DAY;

/** A character, as far as its measures depend on it. */
interface Player {
  /** Hash of the character's key. */
  readonly key: Lanes;
  /** Days that the league has run. */
  readonly days: number;
  readonly resident: Resident | undefined;
}

const unit = (key: Lanes, what: string): number => hash32(what, key) / 4294967296;

/** Returns the day of the league on which a character was made. Most are made early. */
const joinedAfter = (key: Lanes): number => {
  // Multiply, because `Math.pow` may differ between engines in the last bit.
  const part = unit(key, "/joined");
  return part * part * LATEST_DAYS;
};

/**
 * Returns the days of play after a number of days, which depend on how much a person plays each
 * day. They never decrease, because each day adds at least a tenth of a day.
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

/** The measure by which each sort orders the characters. */
const MEASURES: Readonly<Record<LadderSort, (player: Player) => number>> = {
  /** Experience without a maximum, so that the first to reach the last level stay first. */
  xp: (player) => {
    const { days, key, resident } = player;
    if (resident?.character.experience != null) return resident.character.experience;
    const played = daysPlayed(key, Math.max(0, days - joinedAfter(key)));
    const slowness = 1 - skill(player);
    // A faster player reaches half of the maximum sooner.
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
  /** Cached orders of ladders, 80 kB each. */
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

  /** Returns a page of an event's ladder, whose entries are private leagues. */
  eventPage({ record }: WorldLeague, realm: Realm, window: Window): Page<EventLadderEntry> {
    const { seed, sizes } = this.#world;
    return pageOf(record.leagueEvent === true ? sizes.ladderSize : 0, window, (at) => {
      const draw = prng(`${seed}/event-ladder/${realm}/${record.id}/${at}`);
      const number = 10_000 + at;
      return {
        rank: at + 1,
        ...(draw.chance(0.01) && { ineligible: true }),
        // The time of a rank does not depend on other ranks, because ranks are spread evenly.
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

/** Returns the numbers of the characters that have joined a league, in the order of the ladder. */
const rank = (
  order: LadderOrder,
  size: number,
  playerOf: (index: number) => Player,
): Uint32Array => {
  const sort = typeof order === "string" ? order : "xp";
  // The smallest time is first; of other measures the greatest.
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
