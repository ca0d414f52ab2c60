/**
 * Passive trees of characters: allocated hashes, masteries, tattoos, and the sub-graphs that
 * cluster jewels grow.
 *
 * The tree itself is not part of the interface, so hashes are plausible numbers, not nodes of a
 * real tree. Related members agree: a cluster node's hash is in `hashes_ex`, a mastery's node is in
 * `hashes`, and `jewel_data` is keyed by the `x` of a jewel of the same character (§2 Character).
 */
import type { Item, ItemJewelData, PassiveGroup, PassiveNode, Passives } from "@game-data/schemas";
import { wordsOf } from "../internal/words.ts";
import { PREFIX_LINES } from "./data/modifiers.ts";
import { FLAVOUR, icon, NOUNS, statLines, twoWords } from "./Lexicon.ts";
import { prng, type Prng } from "./Prng.ts";
import { itemLevel, makeItem, property } from "./things.ts";

interface JewelTree {
  readonly jewels: ReadonlyArray<Item>;
  readonly jewelData: Readonly<Record<string, ItemJewelData>>;
  /** Hashes of allocated nodes in the sub-graphs of cluster jewels. */
  readonly extendedHashes: ReadonlyArray<number>;
}

/** Draws different hashes of 16 bits, in ascending order as in responses. */
const hashes = (draw: Prng, count: number): Array<number> => {
  const drawn = new Set<number>();
  while (drawn.size < count) drawn.add(draw.int(100, 65_000));
  return [...drawn].toSorted((a, b) => a - b);
};

/** Oils with which a notable can be anointed. */
const OILS = wordsOf(`
  ClearOil SepiaOil AmberOil VerdantOil TealOil AzureOil IndigoOil VioletOil CrimsonOil BlackOil
  OpalescentOil SilverOil GoldenOil PrismaticOil
`);

/** Draws the nodes of a large cluster jewel, in sequence. The last is a socket for a jewel. */
const clusterNodes = (draw: Prng, socket: number, group: string): ReadonlyArray<PassiveNode> => {
  const kinds = ["small", "small", "oiled", "small", "small", "notable", "small", "socket"];
  return kinds.map((kind, index): PassiveNode => {
    const isNotable = kind === "oiled" || kind === "notable";
    return {
      skill: draw.int(30_000, 65_000),
      name: kind === "socket" ? "Medium Jewel Socket" : twoWords(draw),
      icon: icon("passives", isNotable ? "notable" : kind),
      ...(isNotable && { isNotable }),
      ...(kind === "oiled" && { isBlighted: true, recipe: draw.sample(OILS, 3) }),
      ...(kind === "socket" && {
        isJewelSocket: true,
        expansionJewel: { size: 1, index: 1, proxy: draw.int(1, 65_000), parent: socket },
      }),
      stats: kind === "socket" ? [] : statLines(draw, PREFIX_LINES, isNotable ? 2 : 1),
      group,
      orbit: 3,
      orbitIndex: index * 2,
      out: index < kinds.length - 1 ? [String(index + 1)] : [],
      in: index > 0 ? [String(index - 1)] : [],
    };
  });
};

/** Draws the sub-graph of a cluster jewel, and the hashes of its allocated nodes. */
const cluster = (draw: Prng, socket: number) => {
  const id = `expansion_${socket}`;
  const nodes = clusterNodes(draw, socket, id);
  const proxy: PassiveNode = {
    skill: draw.int(1, 29_999),
    name: "Position Proxy",
    icon: icon("passives", "proxy"),
    isProxy: true,
    stats: [],
    group: `${id}_proxy`,
    orbit: 0,
    orbitIndex: 0,
    out: [],
    in: [],
  };
  const group: PassiveGroup = {
    x: draw.int(-900_000, 900_000) / 100,
    y: draw.int(-900_000, 900_000) / 100,
    orbits: [3],
    proxy: String(draw.int(1, 65_000)),
    nodes: Object.keys(nodes),
  };
  // Stands for the jewel's own group in the tree.
  const placeholder: PassiveGroup = { ...group, isProxy: true, nodes: ["proxy"] };
  return {
    subgraph: {
      groups: { [id]: group, [`${id}_proxy`]: placeholder },
      nodes: { ...Object.fromEntries(nodes.entries()), proxy },
    },
    allocated: nodes.flatMap(({ isJewelSocket, skill }) => (isJewelSocket ? [] : [Number(skill)])),
  };
};

const JEWELS = ["Cluster", "Cluster", "Radius", "Plain"] as const;

/** Makes the jewels in a character's tree: cluster jewels, a jewel with a radius, a plain jewel. */
export const jewelTree = (key: string, league: string, level: number): JewelTree => {
  const draw = prng(key);
  const jewels: Array<Item> = [];
  const jewelData: Record<string, ItemJewelData> = {};
  const extendedHashes: Array<number> = [];
  for (const [index, kind] of level < 40 ? [] : JEWELS.entries()) {
    const x = index * 3 + draw.int(0, 2);
    const where = { league, x, y: 0, inventoryId: "PassiveJewels" };
    jewels.push(makeItem(`${key}/jewel/${index}`, where, (own) => jewel(own, kind)));
    if (kind === "Cluster") {
      const { allocated, subgraph } = cluster(draw, x);
      extendedHashes.push(...allocated);
      jewelData[x] = { type: "JewelLatticeLarge", subgraph };
    } else {
      const radius = { radius: 1800, radiusMin: 0, radiusVisual: "JewelCircle1" };
      jewelData[x] = { type: `Jewel${kind}`, ...(kind === "Radius" && radius) };
    }
  }
  return { jewels, jewelData, extendedHashes: extendedHashes.toSorted((a, b) => a - b) };
};

const jewel = (draw: Prng, kind: (typeof JEWELS)[number]) => {
  const isCluster = kind === "Cluster";
  return {
    name: twoWords(draw),
    typeLine: isCluster ? "Large Lattice Jewel" : `${draw.pick(["Amber", "Marl", "Slate"])} Jewel`,
    folder: "jewels",
    ilvl: itemLevel(draw),
    rarity: "Rare",
    ...(kind === "Plain" && { abyssJewel: true }),
    ...(kind === "Radius" && { properties: [property("Radius", [["Large", 0]], { type: 24 })] }),
    ...(isCluster && { enchantMods: ["Adds 8 Passive Skills"] }),
    explicitMods: statLines(draw, PREFIX_LINES, 2),
    descrText: "Place into an allocated Jewel Socket on the Passive Skill Tree.",
    frameType: 2,
  } as const;
};

const common = (draw: Prng) => ({ stats: statLines(draw, PREFIX_LINES, 1), out: [], in: [] });

const tattoo = (draw: Prng): PassiveNode => ({
  ...common(draw),
  name: `Mark of the ${draw.pick(NOUNS)}`,
  icon: icon("passives", "mark"),
  activeEffectImage: icon("passives", "mark-background"),
  isTattoo: true,
  ...(draw.chance(0.2) && { isKeystone: true, flavourText: draw.sample(FLAVOUR, 1) }),
  ...(draw.chance(0.3) && { grantedStrength: 5, grantedDexterity: 5, grantedIntelligence: 5 }),
  reminderText: ["(A mark replaces what the passive granted)"],
});

/** Draws a graft, which replaces a mastery. It has icons for both states, and effects to choose. */
const graft = (draw: Prng): PassiveNode => {
  const { stats } = common(draw);
  const reminderText = ["(A mastery grants one effect)"];
  return {
    ...common(draw),
    name: `Graft of the ${draw.pick(NOUNS)}`,
    icon: icon("passives", "graft"),
    isMastery: true,
    inactiveIcon: icon("passives", "graft-off"),
    activeIcon: icon("passives", "graft-on"),
    activeEffectImage: icon("passives", "graft-background"),
    masteryEffects: [{ effect: draw.int(4000, 65_000), stats, reminderText }],
  };
};

/** Nodes that a character took over from other parts of the tree, with different members. */
const FOREIGN_NODES: ReadonlyArray<Partial<PassiveNode>> = [
  { ascendancyName: "Lamplighter", isAscendancyStart: true },
  { ascendancyName: "Lamplighter", isMultipleChoice: true },
  { ascendancyName: "Lamplighter", isMultipleChoiceOption: true },
  { ascendancyName: "Ferrier", grantedPassivePoints: 2 },
  { classStartIndex: 3 },
];

const foreignNode = (draw: Prng): PassiveNode => ({
  ...common(draw),
  name: `Path of the ${draw.pick(NOUNS)}`,
  icon: icon("passives", "path"),
  ...draw.pick(FOREIGN_NODES),
});

const PANTHEON_MAJOR = ["TheBrineKing", "Arakaali", "Solaris", "Lunaris"] as const;
const PANTHEON_MINOR = wordsOf(
  "Abberath Gruthkul Yugul Shakari Tukohama Ralakesh Garukhan Ryslatha",
);

/** Makes the passive tree of a character of game 1. */
export const passives = (key: string, level: number, tree: JewelTree): Passives => {
  const draw = prng(key);
  const [pantheon_major, pantheon_minor] = [draw.pick(PANTHEON_MAJOR), draw.pick(PANTHEON_MINOR)];
  const allocated = hashes(draw, level + 20);
  const masteries = draw.sample(allocated, Math.min(5, Math.floor(level / 15)));
  const overrides = (nodes: ReadonlyArray<number>, make: (draw: Prng) => PassiveNode) =>
    nodes.map((node) => [String(node), make(draw)] as const);
  return {
    hashes: allocated,
    hashes_ex: [...tree.extendedHashes],
    mastery_effects: Object.fromEntries(
      masteries.map((node) => [String(node), draw.int(4000, 65_000)]),
    ),
    skill_overrides: Object.fromEntries([
      ...overrides(draw.sample(allocated, level > 60 ? 4 : 0), tattoo),
      ...overrides(draw.sample(allocated, level > 60 ? 2 : 0), foreignNode),
      ...overrides(masteries.slice(0, level > 80 ? 1 : 0), graft),
    ]),
    ...(level > 20 && { bandit_choice: draw.pick(["Kraityn", "Alira", "Oak", "Eramir"] as const) }),
    ...(level > 45 && { pantheon_major, pantheon_minor }),
    jewel_data: { ...tree.jewelData },
    ...(level > 80 &&
      draw.chance(0.4) && {
        alternate_ascendancy: draw.pick(["Warden", "Warlock", "Primalist"] as const),
      }),
  };
};

/** Makes the passive tree of a character of game 2, with weapon sets instead of masteries. */
export const passives2 = (key: string, level: number): Passives => {
  const draw = prng(key);
  const allocated = hashes(draw, level + 10);
  const [set1, set2] = [draw.sample(allocated, 6), draw.sample(allocated, 6)];
  const specialisations = { set1, set2, shapeshift: [] };
  return { hashes: allocated, specialisations, skill_overrides: {}, jewel_data: {} };
};

export const atlasHashes = (key: string): Array<number> => {
  const draw = prng(key);
  return hashes(draw, draw.int(60, 130));
};
