/**
 * The public stash stream of a realm: an endless list of changes of which any part can be built
 * without the rest.
 *
 * Time is cut into rounds; in each round every stash changes once, in an order of its own. So
 * change `i` names its stash and that stash's version, and a stash's items are those of its
 * version: most stay as they were, some are new, some are gone. In some versions the owner has
 * unlisted it. A change is *made* at one instant and *seen* five minutes later (§4.2).
 */
import type { Item, PublicStashChange } from "@game-data/schemas";
import { LIFETIMES } from "../contract.ts";
import { CURRENCIES } from "./itemBases.ts";
import { changeIdOf, positionOf } from "./ChangeIds.ts";
import { anyItem } from "./Items.ts";
import { ADJECTIVES, NOUNS } from "./Lexicon.ts";
import { ACCOUNT_COUNT, personName } from "./generatedAccounts.ts";
import { hash32, hexId, prng } from "./Prng.ts";
import type { Realm } from "./Realm.ts";
import type { WorldSizes } from "./Sizes.ts";

/** §8: what happens is seen five minutes later. */
const STREAM_DELAY = LIFETIMES.publicStashDelay;
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
  readonly league: string;
  readonly items: () => ReadonlyArray<Item>;
}

/** A page of the stream. */
export interface StreamPage {
  readonly next_change_id: string;
  readonly stashes: ReadonlyArray<PublicStashChange>;
}

/** The stream of one realm. */
export class StashStream {
  readonly #key: string;
  readonly #seed: number;
  readonly #worldStart: number;
  readonly #sizes: WorldSizes;
  readonly #leagues: ReadonlyArray<string>;
  readonly #owned: ReadonlyArray<OwnedStash>;
  readonly #stashes: number;
  /**
   * Multiplies a place in a round into a stash: prime to the number of stashes, so that each comes
   * once.
   */
  readonly #stride: number;

  constructor(options: {
    readonly seed: number;
    readonly realm: Realm;
    readonly worldStart: number;
    readonly sizes: WorldSizes;
    readonly leagues: ReadonlyArray<string>;
    readonly owned: ReadonlyArray<OwnedStash>;
  }) {
    this.#seed = options.seed;
    this.#key = `${options.seed}/stream/${options.realm}`;
    this.#worldStart = options.worldStart;
    this.#sizes = options.sizes;
    this.#leagues = options.leagues;
    this.#owned = options.owned;
    this.#stashes = Math.max(options.sizes.streamStashes, options.owned.length + 1);
    this.#stride = strideOf(this.#stashes);
  }

  /** Changes that the stream held before the start of the world. */
  get history(): number {
    return this.#sizes.streamHistoryPages * this.#sizes.streamPageSize;
  }

  /** Changes that were made until `now`, seen or not. */
  #madeUntil(now: number): number {
    const perBurst = this.#sizes.streamChangesPerMinute / (60_000 / BURST);
    const begin = this.#worldStart - STREAM_DELAY;
    if (now < begin) return Math.max(0, this.history - Math.ceil((begin - now) / HISTORY_STEP));
    return this.history + Math.floor(Math.floor((now - begin) / BURST) * perBurst);
  }

  /** When a change was made. */
  madeAt(index: number): number {
    const begin = this.#worldStart - STREAM_DELAY;
    if (index < this.history) return begin - (this.history - 1 - index) * HISTORY_STEP;
    const perBurst = this.#sizes.streamChangesPerMinute / (60_000 / BURST);
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

  /** The page that starts at a position. */
  page(position: number, now: number): StreamPage {
    const end = Math.max(
      position,
      Math.min(position + this.#sizes.streamPageSize, this.visible(now)),
    );
    const stashes: Array<PublicStashChange> = [];
    for (let index = position; index < end; index++) stashes.push(this.change(index));
    return { next_change_id: this.idAt(end), stashes };
  }

  /** Whether the page that starts at a position will never change again. */
  isFull(position: number, now: number): boolean {
    return position + this.#sizes.streamPageSize <= this.visible(now);
  }

  /** Change number `index`. */
  change(index: number): PublicStashChange {
    const version = Math.floor(index / this.#stashes);
    return this.#state(this.#stashAt(index), version);
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
    return version < 0 || this.#isPublic(stash, version);
  }

  #offset(round: number): number {
    return hash32(`${this.#key}/round/${round}`) % this.#stashes;
  }

  #stashAt(index: number): number {
    const round = Math.floor(index / this.#stashes);
    return ((index % this.#stashes) * this.#stride + this.#offset(round)) % this.#stashes;
  }

  /**
   * The change in which a stash takes part in a round: `#stashAt` backwards, by walking the round.
   */
  #indexOf(stash: number, round: number): number {
    const offset = this.#offset(round);
    let place = 0;
    while ((place * this.#stride + offset) % this.#stashes !== stash) place++;
    return round * this.#stashes + place;
  }

  #isPublic(stash: number, version: number): boolean {
    return hash32(`${this.#key}/listed/${stash}/${version}`) % 8 !== 0;
  }

  #state(stash: number, version: number): PublicStashChange {
    const owned = this.#owned[stash];
    const stashKey = `${this.#key}/stash/${stash}`;
    const draw = prng(stashKey);
    const id = owned?.id ?? hexId(`${stashKey}/id`, 64);
    const stashType = owned?.type ?? draw.pick(["PremiumStash", "PremiumStash", "QuadStash"]);
    if (!this.#isPublic(stash, version)) {
      // §2: when `public` is false the optional members are null; `stashType` and `items` are not
      // optional.
      return {
        id,
        public: false,
        accountName: null,
        stash: null,
        stashType,
        league: null,
        items: [],
      };
    }
    const league = owned?.league ?? draw.pick(this.#leagues);
    return {
      id,
      public: true,
      accountName:
        owned?.accountName ?? personName(this.#seed, hash32(`${stashKey}/owner`) % ACCOUNT_COUNT),
      stash: owned?.name ?? `${draw.pick(ADJECTIVES)} ${draw.pick(NOUNS)}`,
      stashType,
      league,
      items: owned === undefined ? this.#items(stashKey, league, version) : [...owned.items()],
    };
  }

  /** The items of a version: each place of the stash gets a new item every few versions. */
  #items(stashKey: string, league: string, version: number): Array<Item> {
    const draw = prng(`${stashKey}/places`);
    const places = draw.int(1, this.#sizes.streamItems * 2 - 1);
    const items: Array<Item> = [];
    for (let place = 0; place < places; place++) {
      const period = draw.int(2, 9);
      const generation = Math.floor((version + draw.int(0, 8)) / period);
      const key = `${stashKey}/item/${place}/${generation}`;
      // Now and then a place is empty: the item was sold.
      if (hash32(`${key}/sold`) % 10 === 0) continue;
      const [code] = CURRENCIES[hash32(`${key}/currency`) % CURRENCIES.length]!;
      items.push(
        anyItem(key, {
          league,
          x: (place % 12) * 2,
          y: Math.floor(place / 12) * 4,
          inventoryId: "Stash1",
          ...(hash32(`${key}/priced`) % 4 === 0
            ? {}
            : { note: `~price ${1 + (hash32(`${key}/price`) % 50)} ${code}` }),
          extended: true,
        }),
      );
    }
    return items;
  }
}

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b));

/** A number near the golden section of `size` that shares no divisor with it. */
const strideOf = (size: number): number => {
  let stride = Math.max(1, Math.floor(size * 0.618));
  while (greatestDivisor(stride, size) !== 1) stride++;
  return stride;
};
