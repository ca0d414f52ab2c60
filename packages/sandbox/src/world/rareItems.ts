/**
 * Rare things of game 1, each there for members that nothing else has: logbooks, inscribed tablets,
 * coffers, foils, quest items and what older games left behind (§2 Item, FrameType).
 */
import type { Item } from "@game-data/schemas";
import { type Placement, property, skeleton } from "./ItemParts.ts";
import { PREFIX_LINES, SUFFIX_LINES } from "./data/modifiers.ts";
import { ADJECTIVES, FLAVOUR, icon, NOUNS, statLines, twoWords } from "./Lexicon.ts";
import { prng, type Prng } from "./Prng.ts";

type Members = Partial<Item> & { readonly typeLine: string };

const FACTIONS = ["Faction1", "Faction2", "Faction3", "Faction4"] as const;

const KINDS: ReadonlyArray<(draw: Prng) => Members> = [
  (draw) => ({
    typeLine: "Ferry Logbook",
    rarity: "Rare",
    logbookMods: Array.from({ length: 2 }, () => ({
      name: `${draw.pick(ADJECTIVES)} Shore`,
      faction: { id: draw.pick(FACTIONS), name: `Circle of the ${draw.pick(NOUNS)}` },
      mods: statLines(draw, SUFFIX_LINES, 2),
    })),
    frameType: 2,
  }),
  (draw) => ({
    typeLine: "Inscribed Tablet",
    ultimatumMods: Array.from({ length: 3 }, () => ({
      type: `Trial${draw.int(1, 20)}`,
      tier: draw.int(1, 4),
    })),
    frameType: 5,
  }),
  (draw) => ({
    typeLine: "Sealed Coffer",
    rewards: [{ label: "Inside", rewards: { currency: draw.int(1, 9), maps: draw.int(1, 4) } }],
    notableProperties: [
      property("Locks", [[String(draw.int(1, 3)), 0]], { icon: icon("marks", "lock") }),
      property("", [], { displayMode: 4 }),
      property("Weight", [[String(draw.int(10, 90)), 0]], { suffix: "stone" }),
    ],
    frameType: 0,
  }),
  (draw) => ({
    typeLine: `Saying of the ${draw.pick(NOUNS)}`,
    prophecyText: draw.pick(FLAVOUR),
    frameType: 8,
  }),
  (draw) => ({
    typeLine: `${draw.pick(NOUNS)} Key`,
    lockedToCharacter: true,
    descrText: "Somebody is waiting for this.",
    frameType: 7,
  }),
  (draw) => ({
    typeLine: "Gilt Pendant",
    name: twoWords(draw),
    rarity: "Unique",
    isRelic: true,
    foilVariation: draw.int(0, 9),
    explicitMods: statLines(draw, PREFIX_LINES, 3),
    frameType: draw.pick([9, 10] as const),
  }),
  (draw) => ({
    typeLine: `Coffin of the ${draw.pick(NOUNS)}`,
    explicitMods: statLines(draw, SUFFIX_LINES, 1),
    frameType: 11,
  }),
];

/** One of the rare things. */
export const curiosity = (key: string, where: Placement = {}): Item => {
  const draw = prng(key);
  const members = draw.pick(KINDS)(draw);
  const { explicitMods, rarity, typeLine } = members;
  return {
    ...skeleton(draw, where, { typeLine, folder: "curiosities" }),
    ...members,
    // Only what has a rarity above normal has prefixes and suffixes to count.
    ...(where.extended === true &&
      rarity !== undefined &&
      explicitMods != null && { extended: { prefixes: explicitMods.length, suffixes: 0 } }),
  };
};
