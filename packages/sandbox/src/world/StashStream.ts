/**
 * The public stash stream of a realm: an endless list of changes, any part of which can be
 * generated without the rest.
 *
 * Time is divided into rounds; in each round every stash changes once. Therefore the number of a
 * change gives its stash and the version of the stash. The items follow from the version: from one
 * version to the next most items stay, some are new, some are gone. In some versions the stash is
 * unlisted. A change is *made* at one instant and *seen* five minutes later (§4.2).
 *
 * A place of a stash holds one item after another. Each is listed above its worth, then repriced,
 * mostly downwards, until it is sold or taken back. Then the place stays empty for a while. Its
 * price is in the currency rates of the hour in which it was set. At the end of a challenge league
 * its stashes are unlisted once; half of them continue in the permanent league, as "(Remove-only)",
 * and the others are replaced by stashes of the new league.
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

/** Milliseconds until a change becomes visible in the stream: five minutes (§8). */
const STREAM_DELAY = 1000 * Lifetimes.publicStashDelay;
/** Interval of changes after the start. They come in bursts, as when players leave an area. */
const BURST = 15_000;
/** Milliseconds between two changes before the start of the world. */
const HISTORY_STEP = 1000;

/** A public tab of a seeded account, which is in the stream like any generated stash. */
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
  /** Instant from which the start and the end of leagues are computed. */
  readonly leagueStart: number;
  readonly sizes: WorldSizes;
  readonly rates: Rates;
  readonly owned: ReadonlyArray<OwnedStash>;
}

export class StashStream {
  readonly #of: StreamSource;
  readonly #key: string;
  readonly #stashes: number;
  /** Number of generated stashes that are listed at least sometimes. */
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

  /** Returns the number of changes that were made until `now`, visible or not. */
  #madeUntil(now: number): number {
    const past = now - this.#begin;
    return past < 0
      ? Math.max(0, this.#history - Math.ceil(-past / HISTORY_STEP))
      : this.#history + Math.floor(Math.floor(past / BURST) * this.#perBurst);
  }

  /** Returns the instant of a change, or infinity if there are no changes after the start. */
  madeAt(index: number): number {
    if (index < this.#history) return this.#begin - (this.#history - 1 - index) * HISTORY_STEP;
    return this.#begin + Math.ceil((index - this.#history + 1) / this.#perBurst) * BURST;
  }

  /** Returns the number of visible changes at `now`, made five minutes earlier or before. */
  visible(now: number): number {
    return this.#madeUntil(now - STREAM_DELAY);
  }

  /** Returns the change id of a position, from which the stream continues. 0 is the beginning. */
  idAt(position: number): string {
    return changeIdOf(this.#key, position);
  }

  /** Returns the position of an id, 0 without an id, or undefined for an id that was never sent. */
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

  /** Returns the number of a stash's change in a round. */
  #indexOf(stash: number, round: number): number {
    const count = this.#stashes;
    return round * count + ((stash - this.#offset(round) + count) % count);
  }

  /** Returns the number of the challenge league that runs when a stash changes. */
  #leagueNumber(stash: number, version: number): number {
    return challengeNumber(this.#of.leagueStart, this.madeAt(this.#indexOf(stash, version)));
  }

  /** Whether a challenge league has ended between a version of a stash and the version before. */
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
   * Returns the rank of a stash in a random order, from 0. Sizes, types and prices follow from
   * ranks. Independent draws would differ too much between seeds, because a few tabs hold most
   * items.
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

  /** Returns the facts about a version of a stash, listed or not. */
  #version(stash: number, version: number) {
    const isOwned = stash < this.#of.owned.length;
    const { isChallenge, variant } = this.#home(stash);
    const isPublic = this.#isPublic(stash, version);
    // A stash that is unlisted at the end of a league keeps the id and type that it had before.
    const isEnding = isChallenge && !isPublic && this.#hasEnded(stash, version);
    const number = this.#leagueNumber(stash, isEnding ? version - 1 : version);
    // A stash of a challenge league exists during its league and the next league.
    const isLeftBehind = isChallenge && (isOwned ? number > 0 : (stash + number) % 2 !== 0);
    const founded = isChallenge ? `/${isLeftBehind ? number - 1 : number}` : "";
    const rank = this.#rank(stash) % this.#listed;
    // Types and prices are dealt out again in each league.
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

  /** Returns the items of a version: the current item in each place of the stash. */
  #items({ key: stashKey, league, plan, stash, version }: StashVersion): Array<Item> {
    const { places, pricing, type } = plan;
    const draw = prng(`${stashKey}/places`);
    return Array.from({ length: places }).flatMap((_, place) => {
      const period = draw.int(4, 12);
      const time = version + draw.int(0, 11);
      const age = time % period;
      const key = `${stashKey}/item/${place}/${Math.floor(time / period)}`;
      const listing = listingOf(key);
      // The item was sold or taken back, and the place is empty until the next item.
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

  /** Formats the note of a price at the rates of the instant at which it was set. */
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

/** Makes an unlisted change. Optional members are null; `stashType` and `items` are not (§2). */
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
 * Change ids, which encode a position in five numbers joined by `-`. The first is the position,
 * scrambled by the key of the stream. The others are a keyed checksum, by which made-up ids and ids
 * of another realm or seed are refused.
 */

/** An odd number, because multiplication by it modulo 2³² can be inverted. */
const FACTOR = 0x9e3779b1;
const INVERSE = 0x0e8b2f51;

export const changeIdOf = (key: string, position: number): string => {
  const first = (Math.imul(position ^ hash32(key), FACTOR) ^ hash32(`${key}/`)) >>> 0;
  const draw = prng(`${key}/check/${position}`);
  return [first, draw.next(), draw.next(), draw.next(), draw.next()].join("-");
};

/** Returns the position of an id, or undefined if this stream did not issue the id. */
const positionOf = (key: string, id: string): number | undefined => {
  const first = Number(/^(\d{1,10})-/u.exec(id)?.[1]);
  const position = (Math.imul(first ^ hash32(`${key}/`), INVERSE) ^ hash32(key)) >>> 0;
  return changeIdOf(key, position) === id ? position : undefined;
};

/*
 * Listings of the stash stream: which tabs are listed and what they hold, how an item is priced and
 * repriced, and when it is sold.
 */

/** Where the owner of a tab states prices: on each item, in the tab's name, or not at all. */
type Pricing = "items" | "tab" | undefined;

/** Of 25 tabs, 12 have prices on items, 2 have one price in the name of the tab, and 11 none. */
const PRICING: ReadonlyArray<Pricing> = Array.from({ length: 25 }, (_, at) =>
  at < 12 ? "items" : at < 14 ? "tab" : undefined,
);

/** Plan of a listed item: its first price, when it is repriced, and when it is sold. */
interface Listing {
  readonly isPriced: boolean;
  /** First price, in per cent of the worth. */
  readonly markup: number;
  /** Number of versions between two repricings. */
  readonly interval: number;
  /** Number of versions after which the item is sold or taken back. */
  readonly end: number;
}

/** Highest price that buyers pay, in per cent of the worth. */
const BUYERS_PAY = 105;

/** Number of repricings after which an item is sold or taken back. */
const MAX_STEPS = 12;

/** Returns the next price in per cent of the worth: a tenth less seven of ten times, else more. */
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

/** Returns the price after a number of repricings. */
const askedPrice = (worth: number, key: string, markup: number, steps: number): number => {
  let asked = markup;
  for (let step = 0; step < Math.min(steps, MAX_STEPS); step++) asked = repriced(asked, key, step);
  return Math.max(1, Math.floor((worth * asked) / 100));
};

/** Percentage of stashes that are ever listed. */
const LISTED_PERCENT = 19;

/** Picks a value so that neighbours differ, because 8 is coprime to the lengths of both tables. */
const dealt = <Value>(turn: number, values: ReadonlyArray<Value>): Value =>
  values[(turn * 8) % values.length]!;

/** Returns the rank of each value in ascending order. */
const ranksOf = (values: ReadonlyArray<number>): ReadonlyArray<number> => {
  const sorted = [...values.keys()].toSorted((a, b) => values[a]! - values[b]! || a - b);
  const ranks = values.map(() => 0);
  for (const [rank, at] of sorted.entries()) ranks[at] = rank;
  return ranks;
};

/** Places of a listed tab by quantile, in ten thousandths. Most tabs hold few items. */
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
/** Average number of items in a listed tab according to `QUANTILES`. */
const MEAN_ITEMS = 19;

const placesAt = (quantile: number): number => {
  const next = QUANTILES.findIndex(([end]) => end > quantile);
  const [[from, low], [to, high]] = [QUANTILES[next - 1]!, QUANTILES[next]!];
  return low + Math.floor(((high - low) * (quantile - from)) / (to - from));
};

/** Size and type of a generated tab, and where its owner states prices. */
interface TabPlan {
  readonly places: number;
  /** Type of the tab. A tab with too many items for its type becomes a quad tab. */
  readonly type: string;
  readonly pricing: Pricing;
}

/** Plans the tab that holds more than `part` of all listed tabs, with `items` items on average. */
const planOf = (turn: number, part: number, items: number): TabPlan => {
  const places = Math.round((placesAt(part * 10_000) * items) / MEAN_ITEMS);
  const dealtType = dealt(turn, PUBLIC_TYPES);
  const type = places > capacity(dealtType) ? "QuadStash" : dealtType;
  return { places: Math.min(places, capacity(type)), type, pricing: dealt(turn, PRICING) };
};

/** Returns the name of a generated tab: two words, or one price for all items. */
const tabName = (stashKey: string, pricing: Pricing): string => {
  const draw = prng(stashKey);
  return pricing === "tab" ? `~price ${draw.int(1, 20)} ember-shard` : twoWords(draw);
};
