/**
 * The world of one sandbox: what its accounts own, the leagues and ladders around them, and the two
 * streams.
 *
 * Everything is computed from the seed, its start and the virtual time when it is asked
 * for; nothing is stored but the start, so start-up costs nothing and memory stays flat. Two
 * sandboxes of the same seed hold the same things; their dates differ by the difference of their
 * starts.
 */
import type { Character, LeagueAccount, PvPLadderTeamEntry, StashTab } from "@game-data/schemas";
import type { SeededAccount } from "../clients/Accounts.ts";
import { LruCache } from "../internal/LruCache.ts";
import { characterOf, charactersOf, type CharacterOwner } from "./Characters.ts";
import { Exchange } from "./Exchange.ts";
import { membershipOf } from "./generatedAccounts.ts";
import { Ladders, type Page, type LadderCharacter, type Window } from "./Ladders.ts";
import {
  challengeName,
  challengeNumber,
  leagueAge,
  leaguesOf,
  parentLeague,
  privateLeagues,
  variantsOf,
  type WorldLeague,
  type WorldMoment,
} from "./Leagues.ts";
import { matchesOf, matchLadder, type WorldMatch } from "./Matches.ts";
import { atlasHashes } from "./PassiveTrees.ts";
import { hash32, hexId } from "./Prng.ts";
import type { GameOneRealm, Realm } from "./Realm.ts";
import { resolveSizes, type WorldOptions, type WorldSizes } from "./Sizes.ts";
import { StashStream, type OwnedStash } from "./StashStream.ts";
import { type PriceOf, tabItems } from "./TabItems.ts";
import {
  accountTabs,
  allTabs,
  findTab,
  guildTabs,
  leftOver,
  type StashPlace,
  type Tab,
  tabRecord,
} from "./Tabs.ts";

interface WorldSource {
  readonly seed: number;
  /** The instant that everything stands relative to, in milliseconds; dates show its hour. */
  readonly worldStart: number;
  readonly accounts: ReadonlyArray<SeededAccount>;
  readonly options?: WorldOptions;
  readonly now: () => number;
}

/** A world, see the module. Every method answers as of the virtual time. */
export class WorldModel {
  readonly seed: number;
  /** The hour of the start: dates stand relative to it. */
  readonly worldStart: number;
  readonly sizes: WorldSizes;
  readonly exchange: Exchange;
  readonly ladders: Ladders;
  readonly #accounts: ReadonlyArray<SeededAccount>;
  /** The virtual time in milliseconds. */
  readonly now: () => number;
  readonly #created: number;
  readonly #streams = new Map<GameOneRealm, StashStream>();
  readonly #leagues = new LruCache<ReadonlyArray<WorldLeague>>(8);

  constructor(source: WorldSource) {
    this.seed = source.seed;
    this.#created = source.worldStart;
    this.worldStart = Math.floor(source.worldStart / 3_600_000) * 3_600_000;
    this.sizes = resolveSizes(source.options ?? {});
    this.exchange = new Exchange(this.seed, this.worldStart, this.sizes);
    this.ladders = new Ladders(this);
    this.#accounts = source.accounts;
    this.now = source.now;
  }

  /** Every league of a realm that everybody may see. Leagues begin and end on the hour. */
  leagues(realm: Realm): ReadonlyArray<WorldLeague> {
    const hour = Math.floor(this.now() / 3_600_000);
    return this.#leagues.get(`${realm}/${hour}`, () =>
      leaguesOf(realm, this.worldStart, this.now()),
    );
  }

  /** A league by its name; undefined if there is none. */
  league(realm: Realm, name: string): WorldLeague | undefined {
    return this.leagues(realm).find((one) => one.record.id === name);
  }

  /** The current leagues of an account, its private ones included (§4.2). */
  accountLeagues(account: string, realm: GameOneRealm): ReadonlyArray<WorldLeague> {
    return [
      ...this.leagues(realm).filter((one) => one.list === "main"),
      ...privateLeagues(`${this.seed}/${account}`, realm, this.worldStart),
    ];
  }

  hasLeague(account: string, realm: GameOneRealm, name: string): boolean {
    return (
      this.league(realm, name) !== undefined ||
      this.accountLeagues(account, realm).some((one) => one.record.id === name)
    );
  }

  characters(account: string, realm: Realm): ReadonlyArray<Character> {
    return charactersOf(this.#moment(), this.#holder(account), realm);
  }

  /** A character of an account, complete. */
  character(account: string, realm: Realm, name: string): Character | undefined {
    return characterOf(this.#moment(), this.#holder(account), realm, name);
  }

  /** The tabs of an account in a league, as the list shows them. */
  stashes(place: StashPlace): ReadonlyArray<StashTab> {
    return this.#tabs(place).map((tab) => this.#record(tab, place.realm));
  }

  /** A tab of an account with its items; with a sub-tab, that one wrapped by its parent. */
  stash(place: StashPlace, id: string, sub?: string): StashTab | undefined {
    return this.#open(this.#tabs(place), place, id, sub);
  }

  /** The tabs of an account's guild that it can access. */
  guildStashes(place: StashPlace): ReadonlyArray<StashTab> {
    return this.#guildTabs(place).map((tab) => this.#record(tab, place.realm));
  }

  /** A tab of an account's guild. */
  guildStash(place: StashPlace, id: string, sub?: string): StashTab | undefined {
    return this.#open(this.#guildTabs(place), place, id, sub);
  }

  leagueAccount({ account, league, realm }: StashPlace): LeagueAccount {
    const key = `${this.seed}/atlas/${account}/${realm}/${league}`;
    const trees = ["Tree 1", "Tree 2", "Tree 3"].map((name, index) => ({
      name,
      hashes: [...atlasHashes(`${key}/${index}`)],
    }));
    return { atlas_passives: { hashes: [...trees[0]!.hashes] }, atlas_passive_trees: trees };
  }

  /** Every PvP match of a realm. */
  matches(realm: GameOneRealm): ReadonlyArray<WorldMatch> {
    const league = challengeName(realm, this.worldStart, this.now());
    return matchesOf(this.#moment(), realm, league, this.sizes.ladderSize);
  }

  matchLadder(match: WorldMatch, realm: GameOneRealm, window: Window): Page<PvPLadderTeamEntry> {
    return matchLadder(this.#moment(), match, realm, window);
  }

  stream(realm: GameOneRealm): StashStream {
    let stream = this.#streams.get(realm);
    if (stream !== undefined) return stream;
    const { seed, sizes, worldStart: leagueStart } = this;
    const [rates, owned] = [this.exchange.rates(realm), this.#owned(realm)];
    // Not the hour: a stream that starts with the sandbox holds the same pages at whatever minute
    // that is.
    const worldStart = this.#created;
    stream = new StashStream({ seed, realm, worldStart, sizes, leagueStart, rates, owned });
    this.#streams.set(realm, stream);
    return stream;
  }

  #moment(now = this.now()): WorldMoment {
    return { seed: this.seed, worldStart: this.worldStart, now };
  }

  #holder(uuid: string): CharacterOwner {
    const index = this.#accounts.findIndex((one) => one.uuid === uuid);
    return { uuid, name: this.#accounts[index]?.name ?? "", index: index < 0 ? 99 : index };
  }

  #tabs({ account, league, realm }: StashPlace): ReadonlyArray<Tab> {
    // A race has no stashes.
    const isRace = this.league(realm, league)?.list === "event";
    if (isRace || !this.hasLeague(account, realm, league)) return [];
    const inLeague = (name: string) =>
      this.#accountTabs(account, realm, name, this.#holder(account).index);
    if (challengeNumber(this.worldStart, this.now()) === 0) return inLeague(league);
    // Tabs of the league at the world's start have moved to its parent league.
    const ended = challengeName(realm, this.worldStart, this.worldStart);
    if (league.endsWith(ended)) return [];
    const own = inLeague(league);
    const from = variantsOf(ended).find((name) => parentLeague(name) === league);
    return from === undefined ? own : [...own, ...leftOver(inLeague(from), own.length)];
  }

  #accountTabs(account: string, realm: Realm, league: string, index: number): ReadonlyArray<Tab> {
    const key = `${this.seed}/stash/${account}/${realm}/${league}`;
    return accountTabs(key, tabCount(index), league === "Standard");
  }

  #guildTabs({ account, league, realm }: StashPlace): ReadonlyArray<Tab> {
    const membership = membershipOf(this.seed, this.#holder(account).index);
    if (membership === undefined || !this.hasLeague(account, realm, league)) return [];
    return guildTabs(
      `${this.seed}/guild-stash/${String(membership.guild.id)}/${realm}/${league}`,
      membership.rank,
    );
  }

  #record(tab: Tab, realm: GameOneRealm): StashTab {
    return tabRecord(tab, (one) => this.stream(realm).isListed(publicId(one), this.now()));
  }

  #open(
    tabs: ReadonlyArray<Tab>,
    { league, realm }: StashPlace,
    id: string,
    sub: string | undefined,
  ): StashTab | undefined {
    const tab = findTab(tabs, id);
    if (tab === undefined) return undefined;
    const making = { league, priceOf: this.#priceOf(realm, league) };
    const open = (one: Tab) => ({ ...this.#record(one, realm), items: [...tabItems(one, making)] });
    if (sub === undefined) return open(tab);
    const inner = tab.children.find((one) => one.id === sub);
    return inner && { ...this.#record(tab, realm), children: [open(inner)] };
  }

  /** The characters of the seeded accounts in a league, as its ladder shows them. */
  residents(realm: Realm, league: string): ReadonlyArray<LadderCharacter> {
    return this.#accounts.flatMap(({ livestream, name, uuid }, index) => {
      const guild = membershipOf(this.seed, index)?.guild;
      const account = {
        name,
        realm,
        ...(guild !== undefined && { guild }),
        ...(livestream !== null && { livestream: { name: livestream } }),
      };
      // As they were at the start: the ladder of a league that has ended stays as it is.
      const characters = charactersOf(this.#moment(this.worldStart), this.#holder(uuid), realm);
      return characters.flatMap((character) =>
        character.league === league ? [{ account, character }] : [],
      );
    });
  }

  /** Prices of the tabs of accounts: those of the world's first hour. */
  #priceOf(realm: GameOneRealm, league: string): PriceOf {
    const age = leagueAge(realm, this.worldStart, league, this.worldStart);
    return (key, worth) =>
      hash32(`${key}/priced`) % 5 !== 0
        ? undefined
        : [
            hash32(`${key}/form`) % 2 === 0 ? "~price" : "~b/o",
            this.exchange.rates(realm).price(worth, { league, hour: 0, age }),
          ].join(" ");
  }

  /** The public tabs of the seeded accounts in a realm. */
  #owned(realm: GameOneRealm): ReadonlyArray<OwnedStash> {
    const challenge = challengeName(realm, this.worldStart, this.worldStart);
    return this.#accounts.slice(0, 3).flatMap(({ name: accountName, uuid }, index) =>
      ["Standard", challenge].flatMap((home) => {
        const priceOf = this.#priceOf(realm, home);
        const tabs = allTabs(this.#accountTabs(uuid, realm, home, index));
        return tabs
          .filter(({ isPublic }) => isPublic)
          .map((tab) => ({
            id: publicId(tab),
            accountName,
            name: tab.name,
            type: tab.type,
            isChallenge: home === challenge,
            items: (league: string) => tabItems(tab, { league, priceOf, extended: true }),
          }));
      }),
    );
  }
}

/** Tabs of an account: the first has the fullest stash. */
const tabCount = (index: number): number => (index === 0 ? 16 : Math.max(2, 9 - index * 2));

/** The id under which the stream shows a public tab: another one than the tab's own. */
const publicId = (tab: Tab): string => hexId(`${tab.key}/public`, 64);
