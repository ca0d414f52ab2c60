/**
 * The world of one sandbox: characters and stashes of its accounts, leagues, ladders and the two
 * streams.
 *
 * Everything is computed on request, from the seed, the start and the virtual time. Only the start is
 * stored, so start-up costs nothing and memory stays flat. Two sandboxes of the same seed hold the
 * same things; their dates differ by the difference of their starts.
 */
import type {
  Character,
  Item,
  LeagueAccount,
  PvPLadderTeamEntry,
  StashTab,
} from "@game-data/schemas";
import type { SeededAccount } from "../clients/Clients.ts";
import { LruCache } from "../internal/LruCache.ts";
import { characterOf, type CharacterOwner, charactersOf } from "./Characters.ts";
import { Exchange } from "./Exchange.ts";
import { Ladders, type Page, type Resident, type Window } from "./Ladders.ts";
import {
  challengeName,
  challengeNumber,
  type GameOneRealm,
  HOUR,
  leagueAge,
  parentLeague,
  privateLeagues,
  publicLeagues,
  type Realm,
  variantNames,
  type WorldLeague,
  type WorldMoment,
} from "./Leagues.ts";
import { matchesAt, matchLadder, type WorldMatch } from "./Matches.ts";
import { atlasHashes } from "./PassiveTrees.ts";
import { membership } from "./people.ts";
import { hash32, hexId } from "./Prng.ts";
import { resolveSizes, type WorldOptions, type WorldSizes } from "./Sizes.ts";
import { type OwnedStash, StashStream } from "./StashStream.ts";
import {
  accountItems,
  accountTabs,
  allTabs,
  guildTabs,
  leftBehind,
  type Tab,
  tabRecord,
} from "./Tabs.ts";

interface WorldSource {
  readonly seed: number;
  /** Start of the world in milliseconds since the epoch. Dates are relative to its hour. */
  readonly worldStart: number;
  readonly accounts: ReadonlyArray<SeededAccount>;
  readonly options?: WorldOptions;
  readonly now: () => number;
}

/** The stashes of an account, or of its guild, in a league. */
export interface StashPlace {
  readonly account: string;
  readonly realm: GameOneRealm;
  readonly league: string;
}

/** The world of one sandbox. Every method returns the state at the virtual time. */
export class WorldModel {
  readonly seed: number;
  /** Start of the world, rounded down to the hour. Dates are relative to it. */
  readonly worldStart: number;
  readonly sizes: WorldSizes;
  readonly exchange: Exchange;
  readonly ladders: Ladders;
  /** Returns the virtual time in milliseconds since the epoch. */
  readonly now: () => number;
  readonly #accounts: ReadonlyArray<SeededAccount>;
  readonly #created: number;
  readonly #streams = new LruCache<StashStream>(3);
  readonly #leagues = new LruCache<ReadonlyArray<WorldLeague>>(8);

  constructor(source: WorldSource) {
    this.seed = source.seed;
    this.#created = source.worldStart;
    this.worldStart = Math.floor(source.worldStart / HOUR) * HOUR;
    this.sizes = resolveSizes(source.options ?? {});
    this.exchange = new Exchange(this.seed, this.worldStart, this.sizes);
    this.ladders = new Ladders(this);
    this.#accounts = source.accounts;
    this.now = source.now;
  }

  /** Returns the public leagues of a realm. Leagues begin and end on the hour. */
  leagues(realm: Realm): ReadonlyArray<WorldLeague> {
    return this.#leagues.get(`${realm}/${Math.floor(this.now() / HOUR)}`, () =>
      publicLeagues(realm, this.worldStart, this.now()),
    );
  }

  /** Returns a public league by its name, or undefined if there is none. */
  league(realm: Realm, name: string): WorldLeague | undefined {
    return this.leagues(realm).find(({ record }) => record.id === name);
  }

  /** Returns the current leagues of an account, with its private leagues (§4.2). */
  accountLeagues(account: string, realm: GameOneRealm): ReadonlyArray<WorldLeague> {
    return [
      ...this.leagues(realm).filter(({ list }) => list === "main"),
      ...privateLeagues(`${this.seed}/${account}`, realm, this.worldStart),
    ];
  }

  hasLeague(account: string, realm: GameOneRealm, name: string): boolean {
    const all = [...this.leagues(realm), ...this.accountLeagues(account, realm)];
    return all.some(({ record }) => record.id === name);
  }

  characters(account: string, realm: Realm): ReadonlyArray<Character> {
    return charactersOf(this.#moment(), this.#owner(account), realm);
  }

  /** Returns a character of an account, with its equipment and passives. */
  character(account: string, realm: Realm, name: string): Character | undefined {
    return characterOf(this.#moment(), this.#owner(account), realm, name);
  }

  /** Returns the tabs of an account in a league, without items. */
  stashes(place: StashPlace): ReadonlyArray<StashTab> {
    return this.#tabs(place).map((tab) => this.#record(tab, place.realm));
  }

  /** Returns a tab of an account with its items. A sub-tab is returned inside its parent. */
  stash(place: StashPlace, id: string, sub?: string): StashTab | undefined {
    return this.#open(this.#tabs(place), place, id, sub);
  }

  /** Returns the tabs of an account's guild that the account can access. */
  guildStashes(place: StashPlace): ReadonlyArray<StashTab> {
    return this.#guildTabs(place).map((tab) => this.#record(tab, place.realm));
  }

  /** Returns a tab of an account's guild with its items. */
  guildStash(place: StashPlace, id: string, sub?: string): StashTab | undefined {
    return this.#open(this.#guildTabs(place), place, id, sub);
  }

  leagueAccount({ account, league, realm }: StashPlace): LeagueAccount {
    const trees = ["Tree 1", "Tree 2", "Tree 3"].map((name, index) => ({
      name,
      hashes: atlasHashes(`${this.seed}/atlas/${account}/${realm}/${league}/${index}`),
    }));
    return { atlas_passives: { hashes: trees[0]!.hashes }, atlas_passive_trees: trees };
  }

  /** Returns all PvP matches of a realm. */
  matches(realm: GameOneRealm): ReadonlyArray<WorldMatch> {
    const league = challengeName(realm, this.worldStart, this.now());
    return matchesAt(this.#moment(), realm, league, this.sizes.ladderSize);
  }

  matchLadder(match: WorldMatch, realm: GameOneRealm, window: Window): Page<PvPLadderTeamEntry> {
    return matchLadder(this.#moment(), match, realm, window);
  }

  stream(realm: GameOneRealm): StashStream {
    return this.#streams.get(realm, () => {
      const { seed, sizes, worldStart: leagueStart } = this;
      const [rates, owned] = [this.exchange.rates(realm), this.#owned(realm)];
      // Uses the exact start, so that the stream has the same pages at any minute of an hour.
      const worldStart = this.#created;
      return new StashStream({ seed, realm, worldStart, sizes, leagueStart, rates, owned });
    });
  }

  #moment(now = this.now()): WorldMoment {
    return { seed: this.seed, worldStart: this.worldStart, now };
  }

  #owner(uuid: string): CharacterOwner {
    return { uuid, index: this.#accounts.findIndex((one) => one.uuid === uuid) };
  }

  #tabs({ account, league, realm }: StashPlace): ReadonlyArray<Tab> {
    // An event has no stashes.
    const isRace = this.league(realm, league)?.list === "event";
    if (isRace || !this.hasLeague(account, realm, league)) return [];
    const own = this.#accountTabs(account, realm, league);
    if (challengeNumber(this.worldStart, this.now()) === 0) return own;
    // Tabs of the league at the world's start have moved to its parent league.
    const ended = variantNames(challengeName(realm, this.worldStart, this.worldStart));
    if (ended.includes(league)) return [];
    const from = ended.find((name) => parentLeague(name) === league);
    const moved = from === undefined ? [] : this.#accountTabs(account, realm, from);
    return [...own, ...leftBehind(moved, own.length)];
  }

  /** Returns the tabs that an account has made in a league. The first account has the most. */
  #accountTabs(account: string, realm: Realm, league: string): ReadonlyArray<Tab> {
    const { index } = this.#owner(account);
    const count = index === 0 ? 16 : Math.max(2, 9 - index * 2);
    const key = `${this.seed}/stash/${account}/${realm}/${league}`;
    return accountTabs(key, count, league === "Standard");
  }

  #guildTabs({ account, league, realm }: StashPlace): ReadonlyArray<Tab> {
    const own = membership(this.seed, this.#owner(account).index);
    if (own === undefined || !this.hasLeague(account, realm, league)) return [];
    return guildTabs(`${this.seed}/guild-stash/${own.guild.id}/${realm}/${league}`, own.rank);
  }

  #record(tab: Tab, realm: GameOneRealm): StashTab {
    return tabRecord(tab, (one) => this.stream(realm).isListed(publicId(one), this.now()));
  }

  #open(
    tabs: ReadonlyArray<Tab>,
    place: StashPlace,
    id: string,
    sub: string | undefined,
  ): StashTab | undefined {
    const open = (tab: Tab) => ({
      ...this.#record(tab, place.realm),
      items: [...this.#items(tab, place)],
    });
    const tab = find(allTabs(tabs), id);
    if (tab === undefined || sub === undefined) return tab && open(tab);
    const inner = find(tab.children, sub);
    return inner && { ...this.#record(tab, place.realm), children: [open(inner)] };
  }

  /** Returns the items of a tab. A folder, map tab or unique tab has its items in the tabs below. */
  #items(
    tab: Tab,
    { league, realm }: Omit<StashPlace, "account">,
    extended = false,
  ): ReadonlyArray<Item> {
    const { index = 0, metadata, name, type } = tab.record;
    if (type === "Folder" || tab.children.length > 0 || name === "empty") return [];
    const { tier } = (metadata?.map ?? {}) as { readonly tier?: number };
    return accountItems({ type, tier }, tab.key, (key) => ({
      league,
      inventoryId: `Stash${index! + 1}`,
      ...(tab.isPublic && { price: (worth) => this.#price(key, worth, { league, realm }) }),
      ...(extended && { extended }),
    }));
  }

  /** Returns the price note of an item at the start of the world. Most items have none. */
  #price(key: string, worth: number, { league, realm }: Omit<StashPlace, "account">) {
    if (hash32(`${key}/priced`) % 5 !== 0) return undefined;
    const form = hash32(`${key}/form`) % 2 === 0 ? "~price" : "~b/o";
    const age = leagueAge(realm, this.worldStart, league, this.worldStart);
    return `${form} ${this.exchange.rates(realm).price(worth, { league, hour: 0, age })}`;
  }

  /** Returns the characters of the seeded accounts in a league, as its ladder shows them. */
  residents(realm: Realm, league: string): ReadonlyArray<Resident> {
    return this.#accounts.flatMap(({ livestream, name, uuid }, index) => {
      const guild = membership(this.seed, index)?.guild;
      const account = {
        name,
        realm,
        ...(guild !== undefined && { guild }),
        ...(livestream !== null && { livestream: { name: livestream } }),
      };
      // Use the state at the start, so that the ladder of an ended league does not change.
      return charactersOf(this.#moment(this.worldStart), { uuid, index }, realm)
        .filter((character) => character.league === league)
        .map((character) => ({ account, character }));
    });
  }

  /** Returns the public tabs of the seeded accounts in a realm. */
  #owned(realm: GameOneRealm): ReadonlyArray<OwnedStash> {
    const challenge = challengeName(realm, this.worldStart, this.worldStart);
    return this.#accounts.slice(0, 3).flatMap(({ name: accountName, uuid }) =>
      ["Standard", challenge].flatMap((home) =>
        allTabs(this.#accountTabs(uuid, realm, home))
          .filter(({ isPublic }) => isPublic)
          .map((tab) => ({
            id: publicId(tab),
            accountName,
            name: tab.record.name,
            type: tab.record.type,
            home: { variant: 0, isChallenge: home === challenge },
            items: (league: string) => this.#items(tab, { league, realm }, true),
          })),
      ),
    );
  }
}

const find = (tabs: ReadonlyArray<Tab>, id: string): Tab | undefined =>
  tabs.find(({ record }) => record.id === id);

/** Returns the id of a public tab in the stream, which is not the tab's own id. */
const publicId = (tab: Tab): string => hexId(`${tab.key}/public`, 64);
