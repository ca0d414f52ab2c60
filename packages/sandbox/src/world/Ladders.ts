/**
 * Ladders of leagues: one population per league, ordered by whatever is asked for.
 *
 * A league begins with few characters of low levels; they gain experience as they play, each at a
 * pace of its own that changes from day to day, so that ranks move every five minutes until the
 * league ends. The characters of the seeded accounts are among them. Every character has all measures
 * (experience, depths, time, score, ancestor rank), so that two orders of one ladder show the same
 * people. An order is an array of 20 000 numbers, kept for the few ladders that were asked for
 * last; the entries themselves are built for one page only. Answers end after the first 15 000
 * ranks (§8).
 */
import { LIMITS } from "../contract.ts";
import type { Account, Character, EventLadderEntry, LadderEntry } from "@game-data/schemas";
import { LruCache } from "../internal/LruCache.ts";
import { CLASSES, experienceAt, LAST_LEVEL, levelAt } from "./Characters.ts";
import { isoSeconds, type WorldLeague } from "./Leagues.ts";
import { characterName, twoWords } from "./Lexicon.ts";
import { ACCOUNT_COUNT, personAccount } from "./generatedAccounts.ts";
import { hash32, hexId, type Lanes, lanesOf, prng } from "./Prng.ts";
import type { Realm } from "./Realm.ts";
import type { WorldSizes } from "./Sizes.ts";

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

/** Ranks of a window, none beyond the ladder's depth. */
export const ranksOf = (window: Window, size: number): ReadonlyArray<number> => {
  const end = Math.min(window.offset + window.limit, size, LIMITS.ladderDepth);
  return Array.from(
    { length: Math.max(0, end - window.offset) },
    (_, index) => window.offset + index,
  );
};

const unit = (key: Lanes, what: string): number => hash32(what, key) / 4294967296;

/** A character of a seeded account that plays in the league. */
export interface LadderCharacter {
  readonly character: Character;
  readonly account: Account;
}

const SLOT = 300_000;
const DAY = 86_400_000;
/** The last ones begin so many days after their league. */
const LATEST_DAYS = 6;
/** Days that a league without an end has run when the world starts. */
const ENDLESS_DAYS = 3650;
/** Nobody has more: experience of the last level. */
const CAP = experienceAt(LAST_LEVEL);

/** When a ladder that is requested at `now` was last computed: every five minutes. */
const slotAt = (now: number): number => Math.floor(now / SLOT) * SLOT;

interface LadderWorld {
  readonly seed: number;
  readonly sizes: Pick<WorldSizes, "ladderSize">;
  readonly worldStart: number;
  now(): number;
  /** The characters of the seeded accounts in a league. */
  residents(realm: Realm, league: string): ReadonlyArray<LadderCharacter>;
}

/** Days that a league has run; one that has ended stands still. */
const daysOf = ({ record: { endAt, startAt } }: WorldLeague, world: LadderWorld): number =>
  endAt == null || startAt == null
    ? ENDLESS_DAYS + (slotAt(world.now()) - world.worldStart) / DAY
    : (Math.min(slotAt(world.now()), Date.parse(endAt)) - Date.parse(startAt)) / DAY;

/** Days after the start of the league on which a character was made: most are made early. */
const joinedAfter = (key: Lanes): number => {
  const part = unit(key, "/joined");
  return part * part * LATEST_DAYS;
};

/**
 * Days of play after so many days: time, bent by how much somebody plays on each of them. It never
 * falls, for a day has at least a tenth of a day.
 */
const playedIn = (key: Lanes, days: number): number => {
  const day = Math.floor(days);
  const at = (which: number): number => unit(key, `/day/${which}`);
  const [from, to] = [at(day), at(day + 1)];
  return days + 0.9 * (from + (to - from) * (days - day) - at(0));
};

/** The measures of a character, each drawn when it is asked for: an order compares only one. */
class Measures {
  /** The character's key, hashed. */
  readonly #key: Lanes;
  readonly #days: number;
  readonly #resident: LadderCharacter | undefined;

  constructor(key: Lanes, days: number, resident: LadderCharacter | undefined) {
    this.#key = key;
    this.#days = days;
    this.#resident = resident;
  }

  get #skill(): number {
    return unit(this.#key, "/skill");
  }

  get level(): number {
    return this.#resident?.character.level ?? levelAt(this.experience);
  }

  get experience(): number {
    return Math.min(CAP, this.earned);
  }

  /** Experience as if there were no last level: who reached it first stands higher. */
  get earned(): number {
    const known = this.#resident?.character.experience;
    if (known != null) return known;
    const skill = this.#skill;
    const slow = 1 - skill;
    const played = playedIn(this.#key, Math.max(0, this.#days - joinedAfter(this.#key)));
    // The better somebody plays, the sooner half of the way is done.
    const share = played / (played + 3 + 57 * slow * slow);
    return Math.floor(CAP * 1.5 * (0.2 + 0.8 * skill) * share * share);
  }

  get depth(): number {
    const part = unit(this.#key, "/depth");
    return Math.floor(part * part * part * 6000);
  }

  get solo(): number {
    return Math.floor(this.depth * unit(this.#key, "/solo"));
  }

  get time(): number {
    return 1800 + Math.floor((1 - this.#skill) * 90_000 + unit(this.#key, "/time") * 3000);
  }

  get score(): number {
    return Math.floor(this.#skill * 900 + unit(this.#key, "/score") * 100);
  }

  get ancestor(): number {
    return 1 + Math.floor(unit(this.#key, "/ancestor") * 2000);
  }
}

/** The number that a sort compares: the smaller stands higher. */
const WEIGHTS: Readonly<Record<LadderSort, (one: Measures) => number>> = {
  xp: (one) => -one.earned,
  depth: (one) => -one.depth,
  depthsolo: (one) => -one.solo,
  time: (one) => one.time,
  score: (one) => -one.score,
  ancestor: (one) => -one.ancestor,
};

const classAt = (key: Lanes): (typeof CLASSES)[number] =>
  CLASSES[hash32("/class", key) % CLASSES.length]!;

export class Ladders {
  readonly #world: LadderWorld;
  /** Orders of the ladders that were asked for last: at most 24 × 80 kB. */
  readonly #orders = new LruCache<Uint32Array>(24);

  constructor(world: LadderWorld) {
    this.#world = world;
  }

  page(league: WorldLeague, realm: Realm, order: LadderOrder, window: Window): Page<LadderEntry> {
    const residents = this.#world.residents(realm, league.record.id);
    const ranked = this.#ranked(league, realm, order, residents);
    const entries = ranksOf(window, ranked.length).map((rank) => ({
      rank: rank + 1,
      ...this.#entry(league, realm, ranked[rank]!, residents[ranked[rank]!]),
    }));
    return { total: ranked.length, entries };
  }

  /** A page of the ladder of the private leagues that compete in an event. */
  eventPage(league: WorldLeague, realm: Realm, window: Window): Page<EventLadderEntry> {
    const size = league.hasEventLadder ? this.#world.sizes.ladderSize : 0;
    const entries = ranksOf(window, size).map((rank): EventLadderEntry => {
      const draw = prng(`${this.#world.seed}/event-ladder/${realm}/${league.record.id}/${rank}`);
      const number = 10_000 + rank;
      return {
        rank: rank + 1,
        ...(draw.chance(0.01) && { ineligible: true }),
        // Ranks are spread, so that the time of a rank needs no knowledge of the others.
        time: 3600 + rank * 7 + draw.int(0, 6),
        private_league: {
          name: `${twoWords(draw)} (PL${number})`,
          url: `https://forum.example.com/private-leagues/PL${number}`,
        },
      };
    });
    return { total: size, entries };
  }

  #key(league: WorldLeague, realm: Realm, index: number | ""): string {
    return `${this.#world.seed}/ladder/${realm}/${league.record.id}/${index}`;
  }

  #ranked(
    league: WorldLeague,
    realm: Realm,
    order: LadderOrder,
    residents: ReadonlyArray<LadderCharacter>,
  ): Uint32Array {
    const days = daysOf(league, this.#world);
    const className = typeof order === "string" ? undefined : order.class.toLowerCase();
    return this.#orders.get(
      `${realm}/${league.record.id}/${className === undefined ? String(order) : `class/${className}`}/${days}`,
      () => {
        const weightOf = WEIGHTS[typeof order === "string" ? order : "xp"];
        const weights = new Float64Array(this.#world.sizes.ladderSize);
        const members: Array<number> = [];
        const keys = lanesOf(this.#key(league, realm, ""));
        for (let index = 0; index < this.#world.sizes.ladderSize; index++) {
          const key = lanesOf(String(index), keys);
          const isThere = residents[index] !== undefined || days > LATEST_DAYS;
          if (!isThere && joinedAfter(key) >= days) continue;
          if (className !== undefined) {
            const own = residents[index]?.character.class ?? classAt(key);
            if (own.toLowerCase() !== className) continue;
          }
          weights[index] = weightOf(new Measures(key, days, residents[index]));
          members.push(index);
        }
        return Uint32Array.from(members.toSorted((a, b) => weights[a]! - weights[b]! || a - b));
      },
    );
  }

  #entry(
    league: WorldLeague,
    realm: Realm,
    index: number,
    resident: LadderCharacter | undefined,
  ): Omit<LadderEntry, "rank"> {
    const key = this.#key(league, realm, index);
    const draw = prng(`${key}/entry`);
    const lanes = lanesOf(key);
    const one = new Measures(lanes, daysOf(league, this.#world), resident);
    const { record } = league;
    return {
      ...(league.isHardcore && draw.chance(0.4) && { dead: true }),
      ...(draw.chance(0.02) && { retired: true }),
      ...(draw.chance(0.01) && { ineligible: true }),
      ...(draw.chance(0.7) && { public: true }),
      character: {
        id: resident?.character.id ?? hexId(`${key}/id`, 64),
        name: resident?.character.name ?? characterName(draw),
        level: one.level,
        class: resident?.character.class ?? classAt(lanes),
        ...(record.timedEvent === true && { time: one.time }),
        ...(record.scoreEvent === true && { score: one.score }),
        ...(record.ancestorEvent === true && { progress: { ancestor: one.ancestor } }),
        experience: one.experience,
        depth: { default: one.depth, solo: one.solo },
      },
      account:
        resident?.account ??
        personAccount(
          this.#world.seed,
          hash32(key) % ACCOUNT_COUNT,
          realm,
          record.category?.id ?? undefined,
        ),
    };
  }
}

/** Returns when a ladder that is requested at `now` was last computed. */
export const cachedSince = (now: number): string => isoSeconds(slotAt(now));
