/**
 * The public stash stream of a realm: an endless list of changes of which any part can be built
 * without the rest.
 *
 * Time is cut into rounds; in each round every stash changes once. So change `i` names its stash and
 * that stash's version, and a stash's items are those of its version: most stay as they were, some
 * are new, some are gone. In some versions the owner has unlisted it. A change is *made* at one
 * instant and *seen* five minutes later (§4.2).
 *
 * A place of a stash holds one listing after another: it is listed above its worth, repriced,
 * mostly downwards, until it is sold or taken back, and the place stays empty for a while. Its price
 * is in the currency rates of the hour in which it was set. At the end of a challenge league its
 * stashes are unlisted once; half of them go on in the permanent league, as "(Remove-only)", and the
 * others are replaced by stashes of the new league.
 */
import { Lifetimes } from "@game-data/contract/Lifetimes";
import type { Item, PublicStashChange } from "@game-data/schemas";
import type { Rates } from "./Exchange.ts";
import {
  challengeNumber,
  HOME_LEAGUES,
  HOUR,
  type HomeLeague,
  homeName,
  leagueAge,
  type Realm,
  REMOVE_ONLY,
} from "./Leagues.ts";
import { PEOPLE, personName } from "./people.ts";
import { hash32, hexId, prng } from "./Prng.ts";
import type { WorldSizes } from "./Sizes.ts";
import { capacity, itemAt, PUBLIC_TYPES } from "./Tabs.ts";
import { twoWords } from "./Lexicon.ts";

/** §8: what happens is seen five minutes later. */
const STREAM_DELAY = 1000 * Lifetimes.publicStashDelay;
/** After the start, changes come in small bursts, as they do when several players leave an area. */
const BURST = 15_000;
/** Before the start, one change per second. */
const HISTORY_STEP = 1000;

/** A public tab of a seeded account: it takes part in the stream like any other. */
export interface OwnedStash {
  readonly id: string;
  readonly accountName: string;
  readonly name: string;
  readonly type: string;
  readonly home: HomeLeague;
  readonly items: (league: string) => ReadonlyArray<Item>;
}

interface StreamSource {
  readonly seed: number;
  readonly realm: Realm;
  readonly worldStart: number;
  /** Instant from which the begin and the end of leagues are computed. */
  readonly leagueStart: number;
  readonly sizes: WorldSizes;
  readonly rates: Rates;
  readonly owned: ReadonlyArray<OwnedStash>;
}

export class StashStream {
  readonly #of: StreamSource;
  readonly #key: string;
  readonly #stashes: number;
  /** Number of generated stashes that are ever listed. */
  readonly #listed: number;
  /** Number of changes that were made before the start of the world. */
  readonly #history: number;
  /** Changes in each `BURST`. */
  readonly #perBurst: number;
  /**
   * Instant of the first change after the history, which becomes visible at the start of the world.
   */
  readonly #begin: number;
  #ranks: ReadonlyArray<number> | undefined;

  constructor(source: StreamSource) {
    const { sizes, worldStart } = source;
    this.#of = source;
    this.#history = sizes.streamHistoryPages * sizes.streamPageSize;
    this.#perBurst = sizes.streamChangesPerMinute / (60_000 / BURST);
    this.#begin = worldStart - STREAM_DELAY;
    this.#key = `${source.seed}/stream/${source.realm}`;
    this.#stashes = Math.max(sizes.streamStashes, source.owned.length + 1);
    this.#listed = Math.ceil((this.#stashes * LISTED_PERCENT) / 100);
  }

  /** Number of changes that were made until `now`, seen or not. */
  #madeUntil(now: number): number {
    const past = now - this.#begin;
    return past < 0
      ? Math.max(0, this.#history - Math.ceil(-past / HISTORY_STEP))
      : this.#history + Math.floor(Math.floor(past / BURST) * this.#perBurst);
  }

  /** The instant at which a change is made; never, if the stream has no changes. */
  madeAt(index: number): number {
    if (index < this.#history) return this.#begin - (this.#history - 1 - index) * HISTORY_STEP;
    return this.#begin + Math.ceil((index - this.#history + 1) / this.#perBurst) * BURST;
  }

  /** Number of changes that can be seen at `now`: those made five minutes before. */
  visible(now: number): number {
    return this.#madeUntil(now - STREAM_DELAY);
  }

  /** The id that continues at a position; position 0 is the stream's beginning. */
  idAt(position: number): string {
    return changeIdOf(this.#key, position);
  }

  /** The position of an id; 0 without one; undefined if this stream never sent the id. */
  position(id: string | undefined, now: number): number | undefined {
    if (id === undefined) return 0;
    const position = positionOf(this.#key, id);
    return position === undefined || position > this.visible(now) ? undefined : position;
  }

  page(position: number, now: number) {
    const end = this.endOf(position, now);
    const stashes = Array.from({ length: end - position }, (_, at) => this.change(position + at));
    return { next_change_id: this.idAt(end), stashes };
  }

  /** Returns the position after the page that begins at `position`. */
  endOf(position: number, now: number): number {
    const end = Math.min(position + this.#of.sizes.streamPageSize, this.visible(now));
    return Math.max(position, end);
  }

  /** Whether the page that begins at a position will never change again. */
  isFull(position: number, now: number): boolean {
    return position + this.#of.sizes.streamPageSize <= this.visible(now);
  }

  change(index: number): PublicStashChange {
    const version = Math.floor(index / this.#stashes);
    return this.#state((index + this.#offset(version)) % this.#stashes, version);
  }

  /** Whether the owner lists the public tab `id` at `now`; the stream shows it five minutes later. */
  isListed(id: string, now: number): boolean {
    const stash = this.#of.owned.findIndex((one) => one.id === id);
    if (stash < 0) return true;
    const made = this.#madeUntil(now);
    const round = Math.floor(Math.max(0, made - 1) / this.#stashes);
    const version = this.#indexOf(stash, round) < made ? round : round - 1;
    return version < 0 || this.#isPublic(stash, version);
  }

  /**
   * Returns the stash that changes first in a round. The others follow in the order of their
   * numbers.
   */
  #offset(round: number): number {
    return hash32(`${this.#key}/round/${round}`) % this.#stashes;
  }

  /** The change of a stash in a round. */
  #indexOf(stash: number, round: number): number {
    const count = this.#stashes;
    return round * count + ((stash - this.#offset(round) + count) % count);
  }

  /** The number of the challenge league that runs when a stash changes. */
  #leagueNumber(stash: number, version: number): number {
    return challengeNumber(this.#of.leagueStart, this.madeAt(this.#indexOf(stash, version)));
  }

  /** Whether a challenge league has ended since the last change of a stash. */
  #hasEnded(stash: number, version: number): boolean {
    const number = this.#leagueNumber(stash, version);
    return number > 0 && version > 0 && this.#leagueNumber(stash, version - 1) !== number;
  }

  #isPublic(stash: number, version: number): boolean {
    if (this.#home(stash).isChallenge && this.#hasEnded(stash, version)) return false;
    const isEverListed = stash < this.#of.owned.length || this.#rank(stash) < this.#listed;
    return isEverListed && hash32(`${this.#key}/listed/${stash}/${version}`) % 8 !== 0;
  }

  /**
   * The place of a stash in an order of chance, from 0. Sizes, types and prices go by this place:
   * a few tabs hold most items, and drawn one by one they would make every seed another economy.
   */
  #rank(stash: number): number {
    this.#ranks ??= ranksOf(
      Array.from({ length: this.#stashes }, (_, at) =>
        at < this.#of.owned.length ? Infinity : hash32(`${this.#key}/rank/${at}`),
      ),
    );
    return this.#ranks[stash]!;
  }

  #home(stash: number): HomeLeague {
    const { owned } = this.#of;
    return (
      owned[stash]?.home ??
      HOME_LEAGUES[hash32(`${this.#key}/home/${stash}`) % HOME_LEAGUES.length]!
    );
  }

  /** What a version of a stash is, listed or not. */
  #version(stash: number, version: number) {
    const isOwned = stash < this.#of.owned.length;
    const { isChallenge, variant } = this.#home(stash);
    const isPublic = this.#isPublic(stash, version);
    // A stash that is unlisted at the end of a league is shown as it was until then.
    const isEnding = isChallenge && !isPublic && this.#hasEnded(stash, version);
    const number = this.#leagueNumber(stash, isEnding ? version - 1 : version);
    // A stash of a challenge league lives through its league and the time of the next one.
    const isLeftBehind = isChallenge && (isOwned ? number > 0 : (stash + number) % 2 !== 0);
    const founded = isChallenge ? `/${isLeftBehind ? number - 1 : number}` : "";
    const rank = this.#rank(stash) % this.#listed;
    // Each league deals types and prices out again.
    const turn = rank + (hash32(`${this.#key}/turn${founded}`) % 1000);
    const home = { variant, isChallenge: isChallenge && !isLeftBehind };
    return {
      stash,
      version,
      isPublic,
      isLeftBehind,
      key: `${this.#key}/stash/${stash}${founded}`,
      league: homeName(this.#of.realm, home, number),
      plan: planOf(turn, (rank + 0.5) / this.#listed, this.#of.sizes.streamItems),
    };
  }

  #state(stash: number, round: number): PublicStashChange {
    const owned = this.#of.owned[stash];
    const version = this.#version(stash, round);
    const { isLeftBehind, isPublic, key, league, plan } = version;
    const id = owned?.id ?? hexId(`${key}/id`, 64);
    const stashType = owned?.type ?? plan.type;
    if (!isPublic) return unlisted(id, stashType);
    const name = owned?.name ?? tabName(key, plan.pricing);
    const owner = personName(this.#of.seed, hash32(`${key}/owner`) % PEOPLE);
    return {
      id,
      public: true,
      accountName: owned?.accountName ?? owner,
      stash: isLeftBehind ? name + REMOVE_ONLY : name,
      stashType,
      league,
      items: owned === undefined ? this.#items(version) : [...owned.items(league)],
    };
  }

  /** The items of a version: what is listed in each place of the stash. */
  #items({ key: stashKey, league, plan, stash, version }: StashVersion): Array<Item> {
    const { places, pricing, type } = plan;
    const draw = prng(`${stashKey}/places`);
    return Array.from({ length: places }).flatMap((_, place) => {
      const period = draw.int(4, 12);
      const time = version + draw.int(0, 11);
      const age = time % period;
      const key = `${stashKey}/item/${place}/${Math.floor(time / period)}`;
      const listing = listingOf(key);
      // Sold, or taken back: the place is empty until the next listing.
      if (age >= listing.end) return [];
      const steps = Math.floor(age / listing.interval);
      const round = Math.max(0, version - age + steps * listing.interval);
      const pricedAt = this.madeAt(this.#indexOf(stash, round));
      const price = (worth: number) =>
        pricing === "items" && listing.isPriced
          ? this.#note(askedPrice(worth, key, listing.markup, steps), league, pricedAt)
          : undefined;
      const where = { league, inventoryId: "Stash1", price, extended: true };
      return [itemAt({ type }, place, key, where)];
    });
  }

  /** The note of a price that was set at an instant. */
  #note(asked: number, league: string, at: number): string {
    const { leagueStart, rates, realm, worldStart } = this.#of;
    const hour = Math.floor((at - worldStart) / HOUR);
    const age = leagueAge(realm, leagueStart, league, at);
    return `~price ${rates.price(asked, { league, hour, age })}`;
  }
}

/** The facts about a version of a generated stash from which its items follow. */
interface StashVersion {
  readonly stash: number;
  readonly version: number;
  readonly key: string;
  readonly league: string;
  readonly plan: TabPlan;
}

/** §2: the optional members are null; `stashType` and `items` are not optional. */
const unlisted = (id: string, stashType: string): PublicStashChange => ({
  id,
  public: false,
  accountName: null,
  stash: null,
  stashType,
  league: null,
  items: [],
});

/*
 * Change ids are opaque to everybody else, a position to us: five numbers joined by `-`. The first is
 * the position, scrambled by the key of the stream. The others are a keyed checksum: an id that was
 * made up, or that belongs to another realm or seed, is recognised and refused.
 */

/** Odd, so that multiplying by it modulo 2³² can be undone: by its inverse. */
const FACTOR = 0x9e3779b1;
const INVERSE = 0x0e8b2f51;

export const changeIdOf = (key: string, position: number): string => {
  const first = (Math.imul(position ^ hash32(key), FACTOR) ^ hash32(`${key}/`)) >>> 0;
  const draw = prng(`${key}/check/${position}`);
  return [first, draw.next(), draw.next(), draw.next(), draw.next()].join("-");
};

/** The position of an id, or undefined if this stream did not issue the id. */
const positionOf = (key: string, id: string): number | undefined => {
  const first = Number(/^(\d{1,10})-/u.exec(id)?.[1]);
  const position = (Math.imul(first ^ hash32(`${key}/`), INVERSE) ^ hash32(key)) >>> 0;
  return changeIdOf(key, position) === id ? position : undefined;
};

/*
 * Listings of the stash stream: which tabs are listed and what they hold, how an item is priced and
 * repriced, and when it is sold.
 */

/** How the owner of a tab says what things cost: on each, in the tab's name, or not at all. */
type Pricing = "items" | "tab" | undefined;

/** Of 25 tabs, 12 have a price on each item, 2 one price in the name of the tab, and 11 none. */
const PRICING: ReadonlyArray<Pricing> = Array.from({ length: 25 }, (_, at) =>
  at < 12 ? "items" : at < 14 ? "tab" : undefined,
);

/** The plan of a listing: its mark-up, when it is repriced, and when it is sold. */
interface Listing {
  readonly isPriced: boolean;
  /** Per cent of the worth that is asked at first. */
  readonly markup: number;
  /** Versions from one repricing to the next. */
  readonly interval: number;
  /** Versions after which the item is sold. */
  readonly end: number;
}

/** Highest price that buyers pay, in per cent of the worth. */
const BUYERS_PAY = 105;

/** A listing is sold or taken back after this many repricings. */
const MAX_STEPS = 12;

/** Per cent that are asked after a repricing: seven of ten go down by a tenth, three up. */
const repriced = (asked: number, key: string, step: number): number =>
  Math.floor((asked * (hash32(`${key}/step/${step}`) % 10 < 7 ? 9 : 11)) / 10);

const listingOf = (key: string): Listing => {
  const bits = hash32(`${key}/listing`);
  const interval = 1 + (bits % 3);
  const markup = 85 + ((bits >>> 4) % 96);
  let steps = 0;
  for (let asked = markup; asked > BUYERS_PAY && steps < MAX_STEPS; steps++)
    asked = repriced(asked, key, steps);
  const end = steps * interval + 2 + ((bits >>> 16) % 4);
  return { isPriced: (bits >>> 12) % 12 === 0, markup, interval, end };
};

/** The price after some repricings. */
const askedPrice = (worth: number, key: string, markup: number, steps: number): number => {
  let asked = markup;
  for (let step = 0; step < Math.min(steps, MAX_STEPS); step++) asked = repriced(asked, key, step);
  return Math.max(1, Math.floor((worth * asked) / 100));
};

/** Percentage of stashes that are ever listed. */
const LISTED_PERCENT = 19;

/** Deals `values` out so that neighbours differ: 8 is prime to the lengths of both tables. */
const dealt = <Value>(turn: number, values: ReadonlyArray<Value>): Value =>
  values[(turn * 8) % values.length]!;

/** The place of each value when they are sorted. */
const ranksOf = (values: ReadonlyArray<number>): ReadonlyArray<number> => {
  const sorted = [...values.keys()].toSorted((a, b) => values[a]! - values[b]! || a - b);
  const ranks = values.map(() => 0);
  for (const [rank, at] of sorted.entries()) ranks[at] = rank;
  return ranks;
};

/** Places of a listed tab by quantile, in ten thousandths: most tabs hold little, few very much. */
const QUANTILES: ReadonlyArray<readonly [quantile: number, places: number]> = [
  [0, 0],
  [3400, 0],
  [6000, 2],
  [7700, 18],
  [8800, 45],
  [9500, 120],
  [9700, 150],
  [10_000, 480],
];
/** Items of a listed tab that the table makes on average. */
const MEAN_ITEMS = 19;

const placesAt = (quantile: number): number => {
  const next = QUANTILES.findIndex(([end]) => end > quantile);
  const [[from, low], [to, high]] = [QUANTILES[next - 1]!, QUANTILES[next]!];
  return low + Math.floor(((high - low) * (quantile - from)) / (to - from));
};

/** What a generated tab holds, and how its owner prices it. */
interface TabPlan {
  readonly places: number;
  /** A tab that holds more than its type can is of the largest type. */
  readonly type: string;
  readonly pricing: Pricing;
}

/** The tab of which `part` of all listed ones hold less, with `items` items on average. */
const planOf = (turn: number, part: number, items: number): TabPlan => {
  const places = Math.round((placesAt(part * 10_000) * items) / MEAN_ITEMS);
  const dealtType = dealt(turn, PUBLIC_TYPES);
  const type = places > capacity(dealtType) ? "QuadStash" : dealtType;
  return { places: Math.min(places, capacity(type)), type, pricing: dealt(turn, PRICING) };
};

/** The name of a generated tab: two words, or the price of everything in it. */
const tabName = (stashKey: string, pricing: Pricing): string => {
  const draw = prng(stashKey);
  return pricing === "tab" ? `~price ${draw.int(1, 20)} ember-shard` : twoWords(draw);
};
