/**
 * The rare members of items (corruption, influences, incubators, crucible trees and the rest of §2
 * Item), and rare things that are there for members that nothing else has: logbooks, inscribed
 * tablets, coffers, foils, quest items and what older games left behind (§2 FrameType).
 *
 * Most items have none of them; over a few hundred items every one of them turns up, so that a
 * client meets each documented member at least once. Game 1 only: game 2 has its own in
 * `ItemsGame2`.
 */
import type { CrucibleNode, Item } from "@game-data/schemas";
import { wordsOf } from "../internal/wordsOf.ts";
import { IMPLICIT_LINES, PREFIX_LINES, SUFFIX_LINES } from "./data/modifiers.ts";
import { type Placement, property, skeleton } from "./ItemParts.ts";
import { ADJECTIVES, FLAVOUR, icon, NOUNS, statLines, twoWords, withArticle } from "./Lexicon.ts";
import { prng, type Prng } from "./Prng.ts";

type Oddity = (draw: Prng) => Partial<Item>;

const flags = (names: string): ReadonlyArray<Oddity> =>
  wordsOf(names).map((name) => () => ({ [name]: true }) as Partial<Item>);

const crucible: Oddity = (draw) => {
  const nodes: Record<string, CrucibleNode> = {};
  const taken: Array<string> = [];
  for (let column = 0; column < 3; column++) {
    const stats = statLines(draw, PREFIX_LINES, 1);
    const allocated = column < 2;
    if (allocated) taken.push(...stats);
    nodes[String(column)] = {
      skill: draw.int(1, 65535),
      tier: draw.int(1, 5),
      icon: icon("crucible", `column ${column}`),
      ...(allocated && { allocated: true }),
      ...(column === 2 && { isNotable: true, isReward: true }),
      stats,
      ...(column === 2 && { reminderText: ["(Taken with the last column)"] }),
      orbit: column,
      orbitIndex: 0,
      out: column < 2 ? [String(column + 1)] : [],
      in: column > 0 ? [String(column - 1)] : [],
    };
  }
  // §2: crucibleMods holds the allocated mods only.
  return { crucible: { layout: icon("crucible", "layout"), nodes }, crucibleMods: taken };
};

const incubated: Oddity = (draw) => {
  const total = draw.int(1000, 9000);
  return {
    incubatedItem: {
      name: `${draw.pick(NOUNS)} Bundle`,
      level: draw.int(1, 80),
      progress: draw.int(0, total),
      total,
    },
  };
};

const scourged: Oddity = (draw) => ({
  scourged: {
    tier: draw.int(1, 3),
    level: draw.int(60, 80),
    progress: draw.int(0, 500),
    total: 500,
  },
  scourgeMods: statLines(draw, SUFFIX_LINES, 1),
});

/** Members that only rare and unique gear has. */
const ODDITIES: ReadonlyArray<Oddity> = [
  ...flags(`
    corrupted fractured synthesised split duplicated delve memoryItem unmodifiable
    unmodifiableExceptChaos lockedToAccount ruthless foreseeing
  `),
  crucible,
  incubated,
  scourged,
  (draw) => ({
    influences: { [draw.pick(["elder", "shaper", "searing", "tangled"] as const)]: true },
  }),
  (draw) => ({ fractured: true, fracturedMods: statLines(draw, PREFIX_LINES, 1) }),
  (draw) => ({ craftedMods: statLines(draw, SUFFIX_LINES, 1) }),
  (draw) => ({ enchantMods: statLines(draw, IMPLICIT_LINES, 1) }),
  (draw) => ({ veiled: true, veiledMods: [`Suffix0${draw.int(1, 6)}`] }),
  (draw) => ({ cosmeticMods: [`Has ${withArticle(draw.pick(NOUNS))} appearance`] }),
  (draw) => ({ forum_note: `ask for ${draw.int(2, 40)}` }),
  (draw) => ({ talismanTier: draw.int(1, 4) }),
  () => ({ identified: false }),
];

/** Members that only a unique item has. */
const UNIQUE_ODDITIES: ReadonlyArray<Oddity> = [
  ...flags("replica cisRaceReward seaRaceReward thRaceReward"),
  (draw) => ({ isRelic: true, foilVariation: draw.int(0, 9) }),
  () => ({ flavourTextNote: "Found on a quiet evening" }),
];

/** The odd members of one piece of gear; `{}` for most. */
export const oddity = (draw: Prng, frame: number): Partial<Item> => {
  if (frame === 3 && draw.chance(0.2)) return draw.pick(UNIQUE_ODDITIES)(draw);
  return frame >= 2 && draw.chance(0.3) ? draw.pick(ODDITIES)(draw) : {};
};

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
