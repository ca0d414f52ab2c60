/**
 * A synthetic page of the size of a live one: 5 MB, 300 stashes of which 12 % are unlisted, some
 * 5,000 items.
 */
import { random } from "../test/support/History.ts";

const STASHES = 300;
const ITEMS_PER_STASH = 19;
const MODS = [
  "+%d to maximum Life",
  "+%d%% to Fire Resistance",
  "Adds %d to 30 Physical Damage to Attacks",
  "%d%% increased Rarity of Items found",
  "+%d to Accuracy Rating",
  "%d%% increased Movement Speed",
  "Regenerate %d Life per second",
];

/** The list of the page's stashes as JSON text, without the page around it. */
export const stashesText = (items = ITEMS_PER_STASH): string => {
  const next = random(5);
  const hex = (length: number) =>
    Array.from({ length }, () => Math.floor(next() * 16).toString(16)).join("");
  const item = () => ({
    verified: false,
    w: 2,
    h: 3,
    icon: `https://static.invalid/gen/image/${hex(120)}/${hex(10)}/Item.png`,
    league: "Standard",
    id: hex(64),
    name: `Rune ${hex(6)}`,
    typeLine: "Astral Plate",
    baseType: "Astral Plate",
    rarity: "Rare",
    identified: true,
    ilvl: Math.floor(next() * 86),
    note: `~price ${Math.floor(next() * 100)} chaos`,
    properties: [
      { name: "Armour", values: [[String(Math.floor(next() * 900)), 1]], displayMode: 0, type: 16 },
      { name: "Quality", values: [["+20%", 1]], displayMode: 0, type: 6 },
    ],
    requirements: [
      { name: "Level", values: [["62", 0]], displayMode: 0, type: 62 },
      { name: "Str", values: [["180", 0]], displayMode: 1, type: 63 },
    ],
    explicitMods: Array.from({ length: 4 + Math.floor(next() * 3) }, () =>
      MODS[Math.floor(next() * MODS.length)]!.replace("%d", String(Math.floor(next() * 120))),
    ),
    frameType: 2,
    x: Math.floor(next() * 12),
    y: Math.floor(next() * 12),
    inventoryId: "Stash1",
    socket: 0,
  });
  const stash = () => {
    const id = hex(64);
    if (next() < 0.12) return { id, public: false };
    return {
      id,
      public: true,
      accountName: `Exile${hex(4)}#${Math.floor(next() * 9999)}`,
      stash: `~price ${Math.floor(next() * 50)} chaos`,
      stashType: "PremiumStash",
      league: "Standard",
      items: Array.from({ length: items }, item),
    };
  };
  return JSON.stringify(Array.from({ length: STASHES }, stash));
};

const templates = new Map<number, ReadonlyArray<string>>();

/**
 * A page of the same size whose stashes and items are new, but for a third of the stashes, which
 * are those of every page: a store of such pages grows, and updates what it has. Pages with fewer
 * items per stash make it grow faster.
 */
export const pageText = (page: number, items = ITEMS_PER_STASH): string => {
  const template = templates.get(items) ?? stashesText(items).split('"id":"');
  templates.set(items, template);
  const mark = page.toString(16).padStart(8, "0");
  let stash = 0;
  const text = template.map((piece, index) => {
    if (index === 0) return piece;
    if (piece.startsWith('"public"', 66)) stash += 1;
    return stash % 3 === 0 ? piece : mark + piece.slice(8);
  });
  return `{"next_change_id":"${page + 1}","stashes":${text.join('"id":"')}}`;
};
