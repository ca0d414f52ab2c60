/**
 * Ladders of leagues: one population per league, ordered by whatever is asked for.
 *
 * The characters of the seeded accounts are among them. Every character has all measures
 * (experience, depths, time, score, ancestor rank), so that two orders of one ladder show the same
 * people. An order is an array of 20 000 numbers, kept for the few ladders that were asked for
 * last; the entries themselves are built for one page only. Answers end after the first 15 000
 * ranks (§8).
 */
import { LIMITS } from "../contract.ts";
import type { Account, Character, EventLadderEntry, LadderEntry } from "@game-data/schemas";
import { LruCache } from "../internal/LruCache.ts";
import { CLASSES, experienceAt } from "./Characters.ts";
import { isoSeconds, type WorldLeague } from "./Leagues.ts";
import { ADJECTIVES, characterName, NOUNS } from "./Lexicon.ts";
import { ACCOUNT_COUNT, personAccount } from "./generatedAccounts.ts";
import { hash32, hexId, prng } from "./Prng.ts";
import type { Realm } from "./Realm.ts";

/** Orders of a ladder (§4.2). */
export type LadderSort = "xp" | "depth" | "depthsolo" | "ancestor" | "time" | "score" | "class";

/** A page of a ladder. */
export interface Page<Entry> {
  readonly total: number;
  readonly entries: ReadonlyArray<Entry>;
}

/** Range of ranks that a request asks for. */
export interface Window {
  readonly offset: number;
  readonly limit: number;
}

/** Ranks of a window, none beyond the ladder's depth. */
export const ranksOf = (window: Window, size: number): ReadonlyArray<number> => {
  const end = Math.min(window.offset + window.limit, size, LIMITS.ladderDepth);
  return Array.from(
    { length: Math.max(0, end - window.offset) },
    (_, index) => window.offset + index,
  );
};

interface Measures {
  readonly level: number;
  readonly experience: number;
  readonly depth: number;
  readonly solo: number;
  readonly time: number;
  readonly score: number;
  readonly ancestor: number;
}

const unit = (key: string): number => hash32(key) / 4294967296;

/** A character of a seeded account that plays in the league. */
export interface LadderCharacter {
  readonly character: Character;
  readonly account: Account;
}

const experienceOf = (key: string, level: number): number => {
  const from = experienceAt(level);
  if (level >= 100) return from;
  return from + Math.floor(unit(`${key}/xp`) * (experienceAt(level + 1) - from));
};

const measures = (key: string, resident?: LadderCharacter): Measures => {
  const skill = unit(`${key}/skill`);
  const level = resident?.character.level ?? 60 + Math.floor(skill * skill * 41);
  const experience = resident?.character.experience ?? experienceOf(key, level);
  const part = unit(`${key}/depth`);
  const depth = Math.floor(part * part * part * 6000);
  return {
    level,
    experience,
    depth,
    solo: Math.floor(depth * unit(`${key}/solo`)),
    time: 1800 + Math.floor((1 - skill) * 90_000 + unit(`${key}/time`) * 3000),
    score: Math.floor(skill * 900 + unit(`${key}/score`) * 100),
    ancestor: 1 + Math.floor(unit(`${key}/ancestor`) * 2000),
  };
};

/** The number that a sort compares: the smaller stands higher. */
const weightOf = (sort: LadderSort, one: Measures): number => {
  switch (sort) {
    case "depth":
      return -one.depth;
    case "depthsolo":
      return -one.solo;
    case "time":
      return one.time;
    case "score":
      return -one.score;
    case "ancestor":
      return -one.ancestor;
    default:
      return -one.experience;
  }
};

const classAt = (key: string): (typeof CLASSES)[number] =>
  CLASSES[hash32(`${key}/class`) % CLASSES.length]!;

/** Ladders of one world. */
export class Ladders {
  readonly #seed: number;
  readonly #size: number;
  /** Orders of the ladders that were asked for last: at most 24 × 80 kB. */
  readonly #orders = new LruCache<Uint32Array>(24);

  readonly #residents: (realm: Realm, league: string) => ReadonlyArray<LadderCharacter>;

  constructor(
    seed: number,
    size: number,
    residents: (realm: Realm, league: string) => ReadonlyArray<LadderCharacter> = () => [],
  ) {
    this.#seed = seed;
    this.#size = size;
    this.#residents = residents;
  }

  /** A page of a league's ladder. */
  page(
    league: WorldLeague,
    realm: Realm,
    sort: LadderSort,
    window: Window,
    className?: string,
  ): Page<LadderEntry> {
    const residents = this.#residents(realm, league.record.id);
    const order = this.#order(league, realm, sort, className?.toLowerCase(), residents);
    const entries = ranksOf(window, order.length).map((rank) =>
      this.#entry(league, realm, order[rank]!, rank + 1, residents[order[rank]!]),
    );
    return { total: order.length, entries };
  }

  /** A page of the ladder of the private leagues that compete in an event. */
  eventPage(league: WorldLeague, realm: Realm, window: Window): Page<EventLadderEntry> {
    const size = league.hasEventLadder ? this.#size : 0;
    const entries = ranksOf(window, size).map((rank): EventLadderEntry => {
      const draw = prng(`${this.#seed}/event-ladder/${realm}/${league.record.id}/${rank}`);
      const number = 10_000 + rank;
      return {
        rank: rank + 1,
        ...(draw.chance(0.01) ? { ineligible: true } : {}),
        // Ranks are spread, so that the time of a rank needs no knowledge of the others.
        time: 3600 + rank * 7 + draw.int(0, 6),
        private_league: {
          name: `${draw.pick(ADJECTIVES)} ${draw.pick(NOUNS)} (PL${number})`,
          url: `https://forum.example.com/private-leagues/PL${number}`,
        },
      };
    });
    return { total: size, entries };
  }

  #key(league: WorldLeague, realm: Realm, index: number): string {
    return `${this.#seed}/ladder/${realm}/${league.record.id}/${index}`;
  }

  #order(
    league: WorldLeague,
    realm: Realm,
    sort: LadderSort,
    className: string | undefined,
    residents: ReadonlyArray<LadderCharacter>,
  ): Uint32Array {
    return this.#orders.get(`${realm}/${league.record.id}/${sort}/${className ?? ""}`, () => {
      const weights = new Float64Array(this.#size);
      const members: Array<number> = [];
      for (let index = 0; index < this.#size; index++) {
        const key = this.#key(league, realm, index);
        const own = residents[index]?.character.class ?? classAt(key);
        if (className !== undefined && own.toLowerCase() !== className) continue;
        weights[index] = weightOf(sort, measures(key, residents[index]));
        members.push(index);
      }
      return Uint32Array.from(members.toSorted((a, b) => weights[a]! - weights[b]! || a - b));
    });
  }

  #entry(
    league: WorldLeague,
    realm: Realm,
    index: number,
    rank: number,
    resident: LadderCharacter | undefined,
  ): LadderEntry {
    const key = this.#key(league, realm, index);
    const draw = prng(`${key}/entry`);
    const one = measures(key, resident);
    const { record } = league;
    return {
      rank,
      ...(league.isHardcore && draw.chance(0.4) ? { dead: true } : {}),
      ...(draw.chance(0.02) ? { retired: true } : {}),
      ...(draw.chance(0.01) ? { ineligible: true } : {}),
      ...(draw.chance(0.7) ? { public: true } : {}),
      character: {
        id: resident?.character.id ?? hexId(`${key}/id`, 64),
        name: resident?.character.name ?? characterName(draw),
        level: one.level,
        class: resident?.character.class ?? classAt(key),
        ...(record.timedEvent === true ? { time: one.time } : {}),
        ...(record.scoreEvent === true ? { score: one.score } : {}),
        ...(record.ancestorEvent === true ? { progress: { ancestor: one.ancestor } } : {}),
        experience: one.experience,
        depth: { default: one.depth, solo: one.solo },
      },
      account:
        resident?.account ??
        personAccount(
          this.#seed,
          hash32(key) % ACCOUNT_COUNT,
          realm,
          record.category?.id ?? undefined,
        ),
    };
  }
}

/** Returns when a ladder that is requested at `now` was last computed: every five minutes. */
export const cachedSince = (now: number): string => isoSeconds(Math.floor(now / 300_000) * 300_000);
