/**
 * Passive trees of characters: allocated hashes, masteries, tattoos, and the sub-graphs that
 * cluster jewels grow.
 *
 * The tree itself is not part of the interface, so hashes are plausible numbers, not nodes of a
 * real tree. What belongs together does: a cluster node's hash is in `hashes_ex`, a mastery's node
 * is in `hashes`, and `jewel_data` is keyed by the `x` of a jewel of the same character (§2
 * Character).
 */
import type { Item, ItemJewelData, PassiveGroup, PassiveNode, Passives } from "@game-data/schemas";
import { PREFIX_LINES } from "./data/modifiers.ts";
import { FLAVOUR, icon, NOUNS, statLines, twoWords } from "./Lexicon.ts";
import { property, skeleton } from "./ItemParts.ts";
import { prng, type Prng } from "./Prng.ts";
import { wordsOf } from "../internal/wordsOf.ts";

interface JewelTree {
  readonly jewels: ReadonlyArray<Item>;
  readonly jewelData: Readonly<Record<string, ItemJewelData>>;
  /** Hashes of allocated nodes of sub-graphs. */
  readonly extendedHashes: ReadonlyArray<number>;
}

/** Distinct hashes of 16 bits, ascending as the wire has them. */
const hashes = (draw: Prng, count: number, low = 100, high = 65_000): Array<number> => {
  const found = new Set<number>();
  while (found.size < count) found.add(draw.int(low, high));
  return [...found].toSorted((a, b) => a - b);
};

/** The key of the node that stands for a sub-graph's place. */
const PROXY = "proxy";

/** Oils that a notable is anointed with. */
const OILS = wordsOf(`
  ClearOil SepiaOil AmberOil VerdantOil TealOil AzureOil IndigoOil VioletOil CrimsonOil BlackOil
  OpalescentOil SilverOil GoldenOil PrismaticOil
`);

const clusterSubgraph = (
  draw: Prng,
  socket: number,
  size: number,
): {
  readonly subgraph: NonNullable<ItemJewelData["subgraph"]>;
  readonly skills: ReadonlyArray<number>;
} => {
  const groupId = `expansion_${socket}`;
  const nodes: Record<string, PassiveNode> = {};
  const skills: Array<number> = [];
  const count = size === 2 ? 8 : 5;
  for (let index = 0; index < count; index++) {
    const isNotable = index % 3 === 2;
    const isSocket = size === 2 && index === count - 1;
    const skill = draw.int(30_000, 65_000);
    if (!isSocket) skills.push(skill);
    nodes[String(index)] = {
      skill,
      name: isSocket ? "Medium Jewel Socket" : twoWords(draw),
      icon: icon("passives", isSocket ? "socket" : isNotable ? "notable" : "small"),
      ...(isNotable && !isSocket && { isNotable: true }),
      ...(isSocket && {
        isJewelSocket: true,
        expansionJewel: { size: 1, index: 1, proxy: draw.int(1, 65_000), parent: socket },
      }),
      ...(isNotable &&
        !isSocket &&
        index === 2 && { isBlighted: true, recipe: draw.sample(OILS, 3) }),
      stats: isSocket ? [] : statLines(draw, PREFIX_LINES, isNotable ? 2 : 1),
      group: groupId,
      orbit: 3,
      orbitIndex: index * 2,
      out: index < count - 1 ? [String(index + 1)] : [],
      in: index > 0 ? [String(index - 1)] : [],
    };
  }
  nodes[PROXY] = proxyNode(draw.int(1, 29_999), `${groupId}_proxy`);
  const group: PassiveGroup = {
    x: draw.int(-900_000, 900_000) / 100,
    y: draw.int(-900_000, 900_000) / 100,
    orbits: [3],
    proxy: String(draw.int(1, 65_000)),
    nodes: Object.keys(nodes).filter((id) => nodes[id]!.isProxy !== true),
  };
  // The place in the tree that the jewel's own group stands for.
  const placeholder: PassiveGroup = { ...group, isProxy: true, nodes: [PROXY] };
  return {
    subgraph: { groups: { [groupId]: group, [`${groupId}_proxy`]: placeholder }, nodes },
    skills,
  };
};

const proxyNode = (skill: number, group: string): PassiveNode => ({
  skill,
  name: "Position Proxy",
  icon: icon("passives", "proxy"),
  isProxy: true,
  stats: [],
  group,
  orbit: 0,
  orbitIndex: 0,
  out: [],
  in: [],
});

const JEWELS = ["Cluster", "Cluster", "Radius", "Plain"] as const;

/** The jewels in a character's tree: cluster jewels, one with a radius, plain ones. */
export const jewelTree = (key: string, league: string): JewelTree => {
  const draw = prng(key);
  const jewels: Array<Item> = [];
  const jewelData: Record<string, ItemJewelData> = {};
  const extendedHashes = new Set<number>();
  JEWELS.forEach((kind, index) => {
    const x = index * 3 + draw.int(0, 2);
    const typeLine =
      kind === "Cluster" ? "Large Lattice Jewel" : `${draw.pick(["Amber", "Marl", "Slate"])} Jewel`;
    jewels.push({
      ...skeleton(
        prng(`${key}/jewel/${index}`),
        { league, x, y: 0, inventoryId: "PassiveJewels" },
        { name: twoWords(draw), typeLine, folder: "jewels" },
      ),
      rarity: "Rare",
      ...(kind === "Plain" && { abyssJewel: true }),
      ...(kind === "Radius" && { properties: [property("Radius", [["Large", 0]], { type: 24 })] }),
      ...(kind === "Cluster" && { enchantMods: ["Adds 8 Passive Skills"] }),
      explicitMods: statLines(draw, PREFIX_LINES, 2),
      descrText: "Place into an allocated Jewel Socket on the Passive Skill Tree.",
      frameType: 2,
    });
    if (kind === "Cluster") {
      const { subgraph, skills } = clusterSubgraph(draw, x, 2);
      for (const skill of skills) extendedHashes.add(skill);
      jewelData[String(x)] = { type: "JewelLatticeLarge", subgraph };
    } else if (kind === "Radius") {
      jewelData[String(x)] = {
        type: "JewelRadius",
        radius: 1800,
        radiusMin: 0,
        radiusVisual: "JewelCircle1",
      };
    } else {
      jewelData[String(x)] = { type: "JewelPlain" };
    }
  });
  return { jewels, jewelData, extendedHashes: [...extendedHashes].toSorted((a, b) => a - b) };
};

const tattoo = (draw: Prng): PassiveNode => ({
  name: `Mark of the ${draw.pick(NOUNS)}`,
  icon: icon("passives", "mark"),
  activeEffectImage: icon("passives", "mark-background"),
  isTattoo: true,
  ...(draw.chance(0.2) && { isKeystone: true, flavourText: draw.sample(FLAVOUR, 1) }),
  ...(draw.chance(0.3) && { grantedStrength: 5, grantedDexterity: 5, grantedIntelligence: 5 }),
  stats: statLines(draw, PREFIX_LINES, 1),
  reminderText: ["(A mark replaces what the passive granted)"],
  out: [],
  in: [],
});

/** A graft on a mastery: it has images for both states and effects to choose from. */
const graft = (draw: Prng): PassiveNode => ({
  name: `Graft of the ${draw.pick(NOUNS)}`,
  icon: icon("passives", "graft"),
  isMastery: true,
  inactiveIcon: icon("passives", "graft-off"),
  activeIcon: icon("passives", "graft-on"),
  activeEffectImage: icon("passives", "graft-background"),
  masteryEffects: [
    {
      effect: draw.int(4000, 65_000),
      stats: statLines(draw, PREFIX_LINES, 1),
      reminderText: ["(A mastery grants one effect)"],
    },
  ],
  stats: statLines(draw, PREFIX_LINES, 1),
  out: [],
  in: [],
});

/** Nodes of the tree that a character took over from elsewhere, each with members of its own. */
const FOREIGN_NODES: ReadonlyArray<Partial<PassiveNode>> = [
  { ascendancyName: "Lamplighter", isAscendancyStart: true },
  { ascendancyName: "Lamplighter", isMultipleChoice: true },
  { ascendancyName: "Lamplighter", isMultipleChoiceOption: true },
  { ascendancyName: "Ferrier", grantedPassivePoints: 2 },
  { classStartIndex: 3 },
];

const foreignNode = (draw: Prng): PassiveNode => ({
  name: `Path of the ${draw.pick(NOUNS)}`,
  icon: icon("passives", "path"),
  ...draw.pick(FOREIGN_NODES),
  stats: statLines(draw, PREFIX_LINES, 1),
  out: [],
  in: [],
});

const PANTHEON_MAJOR = ["TheBrineKing", "Arakaali", "Solaris", "Lunaris"] as const;
const PANTHEON_MINOR = wordsOf(
  "Abberath Gruthkul Yugul Shakari Tukohama Ralakesh Garukhan Ryslatha",
);

export const passivesGame1 = (key: string, level: number, tree: JewelTree): Passives => {
  const draw = prng(key);
  const allocated = hashes(draw, Math.max(1, level + 20));
  const masteries = draw.sample(allocated, Math.min(5, Math.floor(level / 15)));
  const marked = draw.sample(allocated, level > 60 ? 4 : 0);
  const foreign = draw.sample(allocated, level > 60 ? 2 : 0);
  const grafted = masteries.slice(0, level > 80 ? 1 : 0);
  return {
    hashes: allocated,
    hashes_ex: [...tree.extendedHashes],
    mastery_effects: Object.fromEntries(
      masteries.map((node) => [String(node), draw.int(4000, 65_000)]),
    ),
    skill_overrides: Object.fromEntries([
      ...marked.map((node) => [String(node), tattoo(draw)] as const),
      ...foreign.map((node) => [String(node), foreignNode(draw)] as const),
      ...grafted.map((node) => [String(node), graft(draw)] as const),
    ]),
    ...(level > 20 && { bandit_choice: draw.pick(["Kraityn", "Alira", "Oak", "Eramir"] as const) }),
    ...(level > 45 && {
      pantheon_major: draw.pick(PANTHEON_MAJOR),
      pantheon_minor: draw.pick(PANTHEON_MINOR),
    }),
    jewel_data: { ...tree.jewelData },
    ...(level > 80 &&
      draw.chance(0.4) && {
        alternate_ascendancy: draw.pick(["Warden", "Warlock", "Primalist"] as const),
      }),
  };
};

/**
 * The passive tree of a character of game 2: weapon-set specialisations instead of extended hashes
 * and masteries.
 */
export const passivesGame2 = (key: string, level: number): Passives => {
  const draw = prng(key);
  const allocated = hashes(draw, Math.max(1, level + 10));
  return {
    hashes: allocated,
    specialisations: {
      set1: draw.sample(allocated, 6),
      set2: draw.sample(allocated, 6),
      shapeshift: [],
    },
    skill_overrides: {},
    jewel_data: {},
  };
};

export const atlasHashes = (key: string): ReadonlyArray<number> => {
  const draw = prng(key);
  return hashes(draw, draw.int(60, 130));
};
