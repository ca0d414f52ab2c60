/**
 * The public stash stream of a realm: an endless list of changes of which any part can be built
 * without the rest.
 *
 * Time is cut into rounds; in each round every stash changes once, in an order of its own. So
 * change `i` names its stash and that stash's version, and a stash's items are those of its
 * version: most stay as they were, some are new, some are gone. In some versions the owner has
 * unlisted it. A change is *made* at one instant and *seen* five minutes later (§4.2).
 *
 * A place of a stash holds one listing after another: it is listed above its worth, repriced,
 * mostly downwards, until a buyer takes it, sold or taken back, and the place stays empty for a while. Its
 * price is in the currency rates of the hour in which it was set. At the end of a challenge league
 * its stashes are unlisted once; half of them go on in the permanent league, as "(Remove-only)",
 * and the others are replaced by stashes of the new league.
 */
import type { Item, PublicStashChange } from "@game-data/schemas";
import { LIFETIMES } from "../contract.ts";
import { changeIdOf, positionOf } from "./ChangeIds.ts";
import { challengeNumber, HOME_LEAGUES, homeName, leagueAge, REMOVE_ONLY } from "./Leagues.ts";
import type { Rates } from "./Exchange.ts";
import { ACCOUNT_COUNT, personName } from "./generatedAccounts.ts";
import {
  askedPrice,
  LISTED,
  listingOf,
  planOf,
  rankOf,
  type TabPlan,
  tabName,
} from "./listings.ts";
import { hash32, hexId, prng } from "./Prng.ts";
import type { Realm } from "./Realm.ts";
import type { WorldSizes } from "./Sizes.ts";
import { cellAt, cellsOf, itemOfType } from "./TabItems.ts";

/** §8: what happens is seen five minutes later. */
const STREAM_DELAY = LIFETIMES.publicStashDelay;
/** After the start, changes come in small bursts, as they do when several players leave an area. */
const BURST = 15_000;
/** Before the start, one change per second. */
const HISTORY_STEP = 1000;
const HOUR = 3_600_000;

/** A public tab of a seeded account: it takes part in the stream like any other. */
export interface OwnedStash {
  readonly id: string;
  readonly accountName: string;
  readonly name: string;
  readonly type: string;
  /** Whether it is a tab of the challenge league at the world's start; else of `Standard`. */
  readonly isChallenge: boolean;
  readonly items: (league: string) => ReadonlyArray<Item>;
}

interface ListedTab extends TabPlan {
  readonly key: string;
  readonly league: string;
  readonly version: number;
}

interface StreamPage {
  readonly next_change_id: string;
  readonly stashes: ReadonlyArray<PublicStashChange>;
}

interface StreamSource {
  readonly seed: number;
  readonly realm: Realm;
  readonly worldStart: number;
  /** The instant that leagues begin and end relative to. */
  readonly leagueStart: number;
  readonly sizes: WorldSizes;
  readonly rates: Rates;
  readonly owned: ReadonlyArray<OwnedStash>;
}

export class StashStream {
  readonly #of: StreamSource;
  readonly #key: string;
  readonly #owned: ReadonlyArray<OwnedStash>;
  readonly #stashes: number;
  /**
   * Multiplies a place in a round into a stash: prime to the number of stashes, so that each comes
   * once.
   */
  readonly #stride: number;
  /** Multiplies a stash into its place in a round: the inverse of `#stride`. */
  readonly #inverse: number;
  #order: ReadonlyArray<number> | undefined;

  constructor(source: StreamSource) {
    this.#of = source;
    this.#key = `${source.seed}/stream/${source.realm}`;
    this.#owned = source.owned;
    this.#stashes = Math.max(source.sizes.streamStashes, source.owned.length + 1);
    this.#stride = strideOf(this.#stashes);
    this.#inverse = inverseOf(this.#stride, this.#stashes);
  }

  /** Changes that the stream held before the start of the world. */
  get history(): number {
    return this.#of.sizes.streamHistoryPages * this.#of.sizes.streamPageSize;
  }

  /** Changes that were made until `now`, seen or not. */
  #madeUntil(now: number): number {
    const perBurst = this.#of.sizes.streamChangesPerMinute / (60_000 / BURST);
    const begin = this.#of.worldStart - STREAM_DELAY;
    if (now < begin) return Math.max(0, this.history - Math.ceil((begin - now) / HISTORY_STEP));
    return this.history + Math.floor(Math.floor((now - begin) / BURST) * perBurst);
  }

  madeAt(index: number): number {
    const begin = this.#of.worldStart - STREAM_DELAY;
    if (index < this.history) return begin - (this.history - 1 - index) * HISTORY_STEP;
    const perBurst = this.#of.sizes.streamChangesPerMinute / (60_000 / BURST);
    return perBurst === 0
      ? Infinity
      : begin + Math.ceil((index - this.history + 1) / perBurst) * BURST;
  }

  /** Changes that can be seen at `now`: those made five minutes before. */
  visible(now: number): number {
    return this.#madeUntil(now - STREAM_DELAY);
  }

  /** The id that continues at a position; position 0 is the stream's beginning. */
  idAt(position: number): string {
    return changeIdOf(this.#key, position);
  }

  /** The position of an id; 0 without one; undefined if the id is none of this stream's. */
  position(id: string | undefined, now: number): number | undefined {
    if (id === undefined) return 0;
    const position = positionOf(this.#key, id);
    return position === undefined || position > this.visible(now) ? undefined : position;
  }

  page(position: number, now: number): StreamPage {
    const end = this.endOf(position, now);
    const stashes: Array<PublicStashChange> = [];
    for (let index = position; index < end; index++) stashes.push(this.change(index));
    return { next_change_id: this.idAt(end), stashes };
  }

  /** The position that the page at another one leads to. */
  endOf(position: number, now: number): number {
    return Math.max(
      position,
      Math.min(position + this.#of.sizes.streamPageSize, this.visible(now)),
    );
  }

  /** Whether the page that starts at a position will never change again. */
  isFull(position: number, now: number): boolean {
    return position + this.#of.sizes.streamPageSize <= this.visible(now);
  }

  change(index: number): PublicStashChange {
    const version = Math.floor(index / this.#stashes);
    return this.#state(this.#stashAt(index), version, this.madeAt(index));
  }

  /**
   * Whether the public tab `id` is listed by its owner at `now`; the stream shows it five minutes
   * later.
   */
  isListed(id: string, now: number): boolean {
    const stash = this.#owned.findIndex((one) => one.id === id);
    if (stash < 0) return true;
    const made = this.#madeUntil(now);
    const round = Math.floor(Math.max(0, made - 1) / this.#stashes);
    const version = this.#indexOf(stash, round) < made ? round : round - 1;
    return version < 0 || this.#isPublic(stash, version, isOwnChallenge(this.#owned[stash]));
  }

  #offset(round: number): number {
    return hash32(`${this.#key}/round/${round}`) % this.#stashes;
  }

  #stashAt(index: number): number {
    const round = Math.floor(index / this.#stashes);
    return ((index % this.#stashes) * this.#stride + this.#offset(round)) % this.#stashes;
  }

  /** The change in which a stash takes part in a round: `#stashAt` backwards. */
  #indexOf(stash: number, round: number): number {
    const count = this.#stashes;
    const from = (stash - this.#offset(round) + count) % count;
    return round * count + ((from * this.#inverse) % count);
  }

  /** The number of the challenge league that runs when a stash changes. */
  #eraAt(stash: number, version: number): number {
    return challengeNumber(this.#of.leagueStart, this.madeAt(this.#indexOf(stash, version)));
  }

  /** Whether the league of a challenge stash has ended since its last change. */
  #hasMoved(stash: number, version: number): boolean {
    const era = this.#eraAt(stash, version);
    return era > 0 && version > 0 && this.#eraAt(stash, version - 1) !== era;
  }

  #isPublic(stash: number, version: number, isChallenge: boolean): boolean {
    if (isChallenge && this.#hasMoved(stash, version)) return false;
    // Most tabs whose changes the stream tells are never listed.
    if (stash >= this.#owned.length && this.#rank(stash) >= this.#listed) return false;
    return hash32(`${this.#key}/listed/${stash}/${version}`) % 8 !== 0;
  }

  /** Number of generated stashes that are ever listed. */
  get #listed(): number {
    return Math.ceil((this.#stashes * LISTED) / 100);
  }

  /**
   * The place of a stash in an order of chance, from 0. Sizes, types and prices go by this place:
   * a few tabs hold most items, and drawn one by one they would make every seed another economy.
   */
  #rank(stash: number): number {
    this.#order ??= rankOf(
      Array.from({ length: this.#stashes }, (_, at) =>
        at < this.#owned.length ? Infinity : hash32(`${this.#key}/rank/${at}`),
      ),
    );
    return this.#order[stash]!;
  }

  #homeOf(stash: number): (typeof HOME_LEAGUES)[number] {
    const owned = this.#owned[stash];
    return owned === undefined
      ? HOME_LEAGUES[hash32(`${this.#key}/home/${stash}`) % HOME_LEAGUES.length]!
      : { variant: 0, isChallenge: owned.isChallenge };
  }

  #state(stash: number, version: number, madeAt: number): PublicStashChange {
    const owned = this.#owned[stash];
    const home = this.#homeOf(stash);
    const { isChallenge } = home;
    const isPublic = this.#isPublic(stash, version, isChallenge);
    // A stash that is unlisted at the end of a league is shown as it was until then.
    const era =
      isChallenge && !isPublic && this.#hasMoved(stash, version)
        ? this.#eraAt(stash, version - 1)
        : challengeNumber(this.#of.leagueStart, madeAt);
    const isLeftOver = isChallenge && this.#isLeftOver(stash, era);
    const founded = isLeftOver ? era - 1 : era;
    const stashKey = `${this.#key}/stash/${stash}${isChallenge ? `/${founded}` : ""}`;
    const id = owned?.id ?? hexId(`${stashKey}/id`, 64);
    const rank = this.#rank(stash) % this.#listed;
    // Each league deals types and prices out anew.
    const turn = rank + (hash32(`${this.#key}/turn/${isChallenge ? founded : ""}`) % 1000);
    const plan = planOf(turn, (rank + 0.5) / this.#listed, this.#of.sizes.streamItems);
    const stashType = owned?.type ?? plan.type;
    if (!isPublic) return unlisted(id, stashType);
    const league = homeName(
      this.#of.realm,
      isLeftOver ? { ...home, isChallenge: false } : home,
      era,
    );
    const name = owned?.name ?? tabName(stashKey, plan.pricing);
    return {
      id,
      public: true,
      accountName:
        owned?.accountName ??
        personName(this.#of.seed, hash32(`${stashKey}/owner`) % ACCOUNT_COUNT),
      stash: isLeftOver ? name + REMOVE_ONLY : name,
      stashType,
      league,
      items:
        owned === undefined
          ? this.#items(stash, { ...plan, key: stashKey, league, version })
          : [...owned.items(league)],
    };
  }

  /** Whether a stash of a challenge league was founded in the league before that of `era`. */
  #isLeftOver(stash: number, era: number): boolean {
    // It lives through its league and the time of the next one.
    return stash < this.#owned.length ? era > 0 : (stash + era) % 2 !== 0;
  }

  /** The items of a version: what is listed in each place of the stash. */
  #items(
    stash: number,
    { key: stashKey, league, places, pricing, type, version }: ListedTab,
  ): Array<Item> {
    const draw = prng(`${stashKey}/places`);
    const items: Array<Item> = [];
    for (let place = 0; place < Math.min(places, cellsOf(type)); place++) {
      const period = draw.int(4, 12);
      const time = version + draw.int(0, 11);
      const generation = Math.floor(time / period);
      const age = time - generation * period;
      const key = `${stashKey}/item/${place}/${generation}`;
      const listing = listingOf(key);
      // Sold, or taken back: the place is empty until the next listing.
      if (age >= listing.end) continue;
      const steps = Math.floor(age / listing.interval);
      items.push(
        itemOfType(type, place, key, {
          league,
          ...cellAt(type, place),
          inventoryId: "Stash1",
          price: (worth) =>
            pricing === "items" && listing.isPriced
              ? this.#note(
                  askedPrice(worth, key, listing.markup, steps),
                  league,
                  this.#indexOf(stash, Math.max(0, version - age + steps * listing.interval)),
                )
              : undefined,
          extended: true,
        }),
      );
    }
    return items;
  }

  /** The note of a price that was set in a change. */
  #note(asked: number, league: string, index: number): string {
    const at = this.madeAt(index);
    const hour = Math.floor((at - this.#of.worldStart) / HOUR);
    const age = leagueAge(this.#of.realm, this.#of.leagueStart, league, at);
    return `~price ${this.#of.rates.price(asked, { league, hour, age })}`;
  }
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

const isOwnChallenge = (owned: OwnedStash | undefined): boolean => owned?.isChallenge === true;

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b));

/** A number near the golden section of `size` that shares no divisor with it. */
const strideOf = (size: number): number => {
  let stride = Math.max(1, Math.floor(size * 0.618));
  while (greatestDivisor(stride, size) !== 1) stride++;
  return stride;
};

/** The number that undoes a multiplication by `factor` modulo `size`, to which it is prime. */
const inverseOf = (factor: number, size: number): number => {
  let [last, rest] = [size, factor % size];
  let [before, inverse] = [0, 1];
  while (rest > 0) {
    const times = Math.floor(last / rest);
    [last, rest] = [rest, last - times * rest];
    [before, inverse] = [inverse, before - times * inverse];
  }
  return (before + size) % size;
};
