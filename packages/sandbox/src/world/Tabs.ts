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
import { hexId, prng, type Prng } from "./Prng.ts";
import type { GameOneRealm } from "./Realm.ts";

export interface StashPlace {
  readonly account: string;
  readonly realm: GameOneRealm;
  readonly league: string;
}

export interface Tab {
  readonly id: string;
  /** Key of everything that lies in it. */
  readonly key: string;
  readonly name: string;
  readonly type: string;
  readonly index: number;
  readonly colour: string;
  /** Whether its owner offers it to everybody; such a tab appears in the public stash stream. */
  readonly isPublic: boolean;
  readonly isFolder: boolean;
  readonly parent?: string;
  readonly folder?: string;
  readonly map?: Readonly<Record<string, unknown>>;
  readonly children: ReadonlyArray<Tab>;
  /** Lowest rank that may look into it, of a guild's tab. */
  readonly rank?: number;
}

interface Sketch {
  readonly type: string;
  readonly name?: string;
  readonly isPublic?: boolean;
  readonly rank?: number;
  readonly inside?: ReadonlyArray<Sketch>;
}

const WORKSHOP: ReadonlyArray<Sketch> = [
  { type: "NormalStash", name: "1" },
  { type: "NormalStash", name: "2" },
  { type: "PremiumStash", name: "to sort" },
  { type: "QuadStash", name: "big box" },
];

/** A full stash, as somebody has who plays a lot; smaller stashes take a part of it. */
const FULL: ReadonlyArray<Sketch> = [
  { type: "CurrencyStash", name: "$" },
  { type: "PremiumStash", name: "~price 5 gilt-orb", isPublic: true },
  { type: "NormalStash", name: "" },
  { type: "QuadStash", name: "dump" },
  { type: "MapStash", name: "Maps" },
  { type: "PremiumStash", name: "shop", isPublic: true },
  { type: "Folder", name: "Workshop", inside: WORKSHOP },
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

const GUILD: ReadonlyArray<Sketch> = [
  { type: "PremiumStash", name: "Welcome", rank: 0 },
  { type: "CurrencyStash", name: "Treasury", rank: 2 },
  { type: "MapStash", name: "Guild maps", rank: 0 },
  {
    type: "Folder",
    name: "Lending",
    rank: 0,
    inside: [
      { type: "NormalStash", name: "Blades", rank: 0 },
      { type: "NormalStash", name: "Officers only", rank: 1 },
    ],
  },
  { type: "QuadStash", name: "Vault", rank: 2 },
];

const colourOf = (draw: Prng): string => draw.hex(6);

/** Sub-tabs of a map tab are one per map, of a unique tab one per class. */
const subTabs = (
  owner: string,
  tab: { readonly id: string; readonly type: string; readonly rank?: number },
): Array<Tab> => {
  if (tab.type !== "MapStash" && tab.type !== "UniqueStash") return [];
  const key = `${owner}/${tab.id}`;
  const draw = prng(`${key}/children`);
  return Array.from({ length: tab.type === "MapStash" ? 9 : 5 }, (_, index) => {
    const isMap = tab.type === "MapStash";
    const name = isMap ? `${twoWords(draw)} Map` : draw.pick(NOUNS);
    return {
      id: hexId(`${key}/child/${index}/id`, 10),
      key: `${key}/child/${index}`,
      name,
      type: tab.type,
      index,
      colour: colourOf(draw),
      isPublic: false,
      isFolder: false,
      parent: tab.id,
      ...(isMap && { map: { section: "tier", name, tier: 1 + (index % 16), index } }),
      children: [],
      ...(tab.rank !== undefined && { rank: tab.rank }),
    };
  });
};

const build = (owner: string, sketches: ReadonlyArray<Sketch>, folder?: string): Array<Tab> =>
  sketches.map((sketch, index) => {
    const key = `${owner}/tab/${folder ?? ""}/${index}`;
    const draw = prng(key);
    const id = hexId(`${key}/id`, 10);
    const own = {
      id,
      key,
      name: sketch.name ?? twoWords(draw),
      type: sketch.type,
      index,
      colour: colourOf(draw),
      isPublic: sketch.isPublic === true,
      isFolder: sketch.type === "Folder",
      ...(folder !== undefined && { folder }),
      ...(sketch.rank !== undefined && { rank: sketch.rank }),
    };
    const children =
      sketch.inside === undefined ? subTabs(owner, own) : build(owner, sketch.inside, id);
    return { ...own, children };
  });

/**
 * The tabs of an account in a league; `size` of them at most, and those that a past league left
 * behind.
 */
export const accountTabs = (owner: string, size: number, isStandard: boolean): ReadonlyArray<Tab> =>
  build(owner, [
    ...FULL.slice(0, size),
    ...(isStandard && size > 4
      ? [
          { type: "PremiumStash", name: `shop${REMOVE_ONLY}` },
          { type: "QuadStash", name: `dump${REMOVE_ONLY}` },
        ]
      : []),
  ]);

/** The tabs of a guild in a league that a member of some rank can see. */
export const guildTabs = (owner: string, rank: number): ReadonlyArray<Tab> => {
  const visible = (tabs: ReadonlyArray<Tab>): Array<Tab> =>
    tabs
      .filter((tab) => (tab.rank ?? 0) <= rank)
      .map((tab) => ({ ...tab, children: visible(tab.children) }));
  return visible(build(owner, GUILD));
};

/**
 * A tab as the list shows it: everything but items. `isListed` says whether a public tab is listed
 * at present.
 */
export const tabRecord = (tab: Tab, isListed: (tab: Tab) => boolean): StashTab => ({
  id: tab.id,
  ...(tab.parent !== undefined && { parent: tab.parent }),
  ...(tab.folder !== undefined && { folder: tab.folder }),
  name: tab.name,
  type: tab.type,
  index: tab.index,
  metadata: {
    ...(tab.isPublic && isListed(tab) && { public: true }),
    ...(tab.isFolder && { folder: true }),
    colour: tab.colour,
    ...(tab.map !== undefined && { map: tab.map }),
  },
  ...(tab.children.length !== 0 && {
    children: tab.children.map((child) => tabRecord(child, isListed)),
  }),
});

/** Tabs as an ended league leaves them behind: renamed, behind the others. */
export const leftOver = (tabs: ReadonlyArray<Tab>, first: number): ReadonlyArray<Tab> =>
  tabs.map((tab, at) => ({
    ...tab,
    name: tab.name + REMOVE_ONLY,
    index: first + at,
  }));

/** A tab of a layout by its id, in folders and below parents too. */
export const findTab = (tabs: ReadonlyArray<Tab>, id: string): Tab | undefined => {
  for (const tab of tabs) {
    if (tab.id === id) return tab;
    const below = findTab(tab.children, id);
    if (below !== undefined) return below;
  }
  return undefined;
};

/** Every tab of a layout, folders and sub-tabs included. */
export const allTabs = (tabs: ReadonlyArray<Tab>): ReadonlyArray<Tab> =>
  tabs.flatMap((tab) => [tab, ...allTabs(tab.children)]);
