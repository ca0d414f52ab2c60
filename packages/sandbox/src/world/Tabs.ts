/**
 * Stash tabs as a layout: names, types, folders and sub-tabs, without their items.
 *
 * A layout is drawn per owner (an account or a guild), realm and league. Sub-tabs of map and unique
 * tabs point to their `parent`, tabs in a folder to their `folder`; both nest in `children` of the
 * list (`docs/choices.md`).
 */
import type { StashTab } from "@game-data/schemas";
import { REMOVE_ONLY } from "./Leagues.ts";
import { NOUNS, twoWords } from "./Lexicon.ts";
import { hexId, prng } from "./Prng.ts";

export interface Tab {
  /** Key of its contents. */
  readonly key: string;
  /** As the list shows it, without its children and without `public`. */
  readonly record: StashTab;
  /** Whether its owner offers it to everybody: such a tab appears in the public stash stream. */
  readonly isPublic: boolean;
  readonly children: ReadonlyArray<Tab>;
  /** Lowest rank that may look into it, of a guild's tab. */
  readonly rank: number;
}

interface Sketch {
  readonly type: string;
  readonly name: string;
  readonly isPublic?: boolean;
  readonly rank?: number;
  readonly inside?: ReadonlyArray<Sketch>;
}

/** The stash of a person who plays much; other stashes have a part of it. */
const FULL: ReadonlyArray<Sketch> = [
  { type: "CurrencyStash", name: "$" },
  { type: "PremiumStash", name: "~price 5 gilt-orb", isPublic: true },
  { type: "NormalStash", name: "" },
  { type: "QuadStash", name: "dump" },
  { type: "MapStash", name: "Maps" },
  { type: "PremiumStash", name: "shop", isPublic: true },
  {
    type: "Folder",
    name: "Workshop",
    inside: [
      { type: "NormalStash", name: "1" },
      { type: "NormalStash", name: "2" },
      { type: "PremiumStash", name: "to sort" },
      { type: "QuadStash", name: "big box" },
    ],
  },
  { type: "UniqueStash", name: "Uniques" },
  { type: "QuadStash", name: "shop", isPublic: true },
  { type: "FragmentStash", name: "Fragments" },
  { type: "DivinationCardStash", name: "Cards" },
  { type: "EssenceStash", name: "Essences" },
  { type: "GemStash", name: "Gems" },
  { type: "FlaskStash", name: "Flasks" },
  { type: "DelveStash", name: "Below" },
  { type: "NormalStash", name: "empty" },
];

const LEFT_BEHIND: ReadonlyArray<Sketch> = [
  { type: "PremiumStash", name: `shop${REMOVE_ONLY}` },
  { type: "QuadStash", name: `dump${REMOVE_ONLY}` },
];

const GUILD: ReadonlyArray<Sketch> = [
  { type: "PremiumStash", name: "Welcome" },
  { type: "CurrencyStash", name: "Treasury", rank: 2 },
  { type: "MapStash", name: "Guild maps" },
  {
    type: "Folder",
    name: "Lending",
    inside: [
      { type: "NormalStash", name: "Blades" },
      { type: "NormalStash", name: "Officers only", rank: 1 },
    ],
  },
  { type: "QuadStash", name: "Vault", rank: 2 },
];

const build = (owner: string, sketches: ReadonlyArray<Sketch>, folder?: string): Array<Tab> =>
  sketches.map(({ inside, isPublic = false, name, rank = 0, type }, index) => {
    const key = `${owner}/tab/${folder ?? ""}/${index}`;
    const id = hexId(`${key}/id`, 10);
    const record = {
      id,
      ...(folder !== undefined && { folder }),
      name,
      type,
      index,
      metadata: { ...(inside !== undefined && { folder: true }), colour: hexId(key, 6) },
    };
    const children = inside === undefined ? subTabs(key, record, rank) : build(owner, inside, id);
    return { key, record, isPublic, rank, children };
  });

/** A map tab has a sub-tab for each map, a unique tab one for each class. */
const subTabs = (tabKey: string, { id: parent, type }: StashTab, rank: number): Array<Tab> => {
  const isMap = type === "MapStash";
  const draw = prng(`${tabKey}/children`);
  const count = isMap ? 9 : type === "UniqueStash" ? 5 : 0;
  return Array.from({ length: count }, (_, index) => {
    const key = `${tabKey}/child/${index}`;
    const name = isMap ? `${twoWords(draw)} Map` : draw.pick(NOUNS);
    const metadata = {
      colour: draw.hex(6),
      ...(isMap && { map: { section: "tier", name, tier: 1 + index, index } }),
    };
    const record = { id: hexId(`${key}/id`, 10), parent, name, type, index, metadata };
    return { key, record, isPublic: false, rank, children: [] };
  });
};

/** The first `size` tabs of an account in a league, and in `Standard` those of a past league. */
export const accountTabs = (owner: string, size: number, isStandard: boolean): ReadonlyArray<Tab> =>
  build(owner, [...FULL.slice(0, size), ...(isStandard && size > 4 ? LEFT_BEHIND : [])]);

/** The tabs of a guild in a league that a member of some rank can see. */
export const guildTabs = (owner: string, rank: number): ReadonlyArray<Tab> => {
  const visible = (tabs: ReadonlyArray<Tab>): Array<Tab> =>
    tabs
      .filter((tab) => tab.rank <= rank)
      .map((tab) => ({ ...tab, children: visible(tab.children) }));
  return visible(build(owner, GUILD));
};

/** A tab as the list shows it: everything but items. `isListed` decides about public tabs. */
export const tabRecord = (tab: Tab, isListed: (tab: Tab) => boolean): StashTab => ({
  ...tab.record,
  metadata: { ...tab.record.metadata, ...(tab.isPublic && isListed(tab) && { public: true }) },
  ...(tab.children.length !== 0 && {
    children: tab.children.map((child) => tabRecord(child, isListed)),
  }),
});

/** Tabs as an ended league leaves them behind: renamed, after the others. */
export const leftBehind = (tabs: ReadonlyArray<Tab>, first: number): ReadonlyArray<Tab> =>
  tabs.map((tab, at) => {
    const { record } = tab;
    return { ...tab, record: { ...record, name: record.name + REMOVE_ONLY, index: first + at } };
  });

/** Every tab of a layout, folders and sub-tabs included. */
export const allTabs = (tabs: ReadonlyArray<Tab>): ReadonlyArray<Tab> =>
  tabs.flatMap((tab) => [tab, ...allTabs(tab.children)]);
