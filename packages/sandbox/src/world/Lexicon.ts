/**
 * The invented vocabulary of the world: names of people, places, things and effects.
 *
 * Nothing here belongs to a real game. The words are neutral on purpose, so that no fixture that is
 * recorded from the sandbox can be mistaken for data of a real service.
 */
import type { Prng } from "./Prng.ts";

const ONSETS = [
  "B",
  "Br",
  "C",
  "D",
  "El",
  "F",
  "G",
  "H",
  "I",
  "K",
  "L",
  "M",
  "N",
  "Or",
  "P",
  "R",
  "S",
  "T",
  "V",
  "Z",
];
const MIDDLES = ["a", "e", "i", "o", "u", "ae", "ari", "elo", "ina", "oru", "umi", "y"];
const CODAS = [
  "dan",
  "keth",
  "lin",
  "mor",
  "ndra",
  "phis",
  "rak",
  "ric",
  "sha",
  "thas",
  "van",
  "wyn",
  "x",
  "zel",
];
/** Names of people are not ASCII everywhere; a client has to live with these. */
const FAR_CODAS = ["löf", "ñez", "ček", "åse", "ère"];

/** A name of one word: `Brinathas`. */
export const givenName = (draw: Prng): string =>
  draw.pick(ONSETS) + draw.pick(MIDDLES) + draw.pick(draw.chance(0.06) ? FAR_CODAS : CODAS);

/**
 * A character's name: ASCII only, as the game asks it, and wide enough to be unique with a suffix.
 */
export const characterName = (draw: Prng): string => {
  const base = draw.pick(ONSETS) + draw.pick(MIDDLES) + draw.pick(CODAS);
  const form = draw.int(0, 4);
  if (form === 0) return `${base}_${draw.pick(NOUNS)}`;
  if (form === 1) return `${draw.pick(ADJECTIVES)}${base}`;
  if (form === 2) return `${base}${draw.int(2, 9999)}`;
  return `${base}The${draw.pick(NOUNS)}`;
};

/** Adjectives of places, people and items. */
export const ADJECTIVES = [
  "Amber",
  "Ashen",
  "Brazen",
  "Candid",
  "Dappled",
  "Dusky",
  "Fabled",
  "Gentle",
  "Hollow",
  "Keen",
  "Lucid",
  "Muted",
  "Nimble",
  "Ochre",
  "Pale",
  "Quiet",
  "Restless",
  "Silent",
  "Tidal",
  "Umber",
  "Veiled",
  "Wistful",
] as const;

/** Nouns of places, people and items. */
export const NOUNS = [
  "Anchor",
  "Beacon",
  "Compass",
  "Drift",
  "Ember",
  "Ferry",
  "Garnet",
  "Harbour",
  "Inkwell",
  "Juniper",
  "Kestrel",
  "Lantern",
  "Meadow",
  "Needle",
  "Orchard",
  "Plume",
  "Quarry",
  "Ribbon",
  "Saddle",
  "Thicket",
  "Viaduct",
  "Willow",
] as const;

/** Materials that item bases are made of. */
export const MATERIALS = [
  "Alder",
  "Birchbark",
  "Brasswork",
  "Cinderweave",
  "Copperleaf",
  "Driftbone",
  "Duskhide",
  "Feltwool",
  "Flintglass",
  "Hornplate",
  "Ironwood",
  "Linen",
  "Marlstone",
  "Oilcloth",
  "Pewter",
  "Reedwoven",
  "Slate",
  "Tinscale",
] as const;

/** Leagues of the passing seasons, by number. */
export const LEAGUE_NAMES = [
  "Tidewrack",
  "Emberfall",
  "Lanternway",
  "Hollowmere",
  "Gleamvault",
  "Thornmarch",
  "Saltglass",
  "Windharrow",
] as const;

/** Prefix-like stat lines; `#` is a roll. */
export const PREFIX_LINES = [
  ["+# to maximum Vigour", 12, 129],
  ["+# to maximum Focus", 9, 94],
  ["#% increased Ward", 11, 120],
  ["Adds # to ## Ember Damage", 3, 41],
  ["Adds # to ## Frost Damage", 3, 38],
  ["Adds # to ## Storm Damage", 1, 70],
  ["#% increased Weapon Damage", 20, 169],
  ["+#% to Spell Weight", 8, 44],
  ["#% increased Travel Speed", 10, 35],
] as const;

/** Suffix-like stat lines; `#` is a roll. */
export const SUFFIX_LINES = [
  ["+#% to Ember Resistance", 6, 48],
  ["+#% to Frost Resistance", 6, 48],
  ["+#% to Storm Resistance", 6, 48],
  ["+#% to Hollow Resistance", 5, 35],
  ["#% increased Rarity of Finds", 6, 30],
  ["Regain # Vigour per second", 1, 90],
  ["+# to Might", 8, 55],
  ["+# to Grace", 8, 55],
  ["+# to Wit", 8, 55],
  ["#% increased Precision", 10, 38],
] as const;

/** Lines of an item's base. */
export const IMPLICIT_LINES = [
  ["+# to all Attributes", 4, 16],
  ["#% increased Stun Recovery", 10, 25],
  ["#% increased Precision with Keen Strikes", 10, 30],
  ["+#% to all Resistances", 4, 12],
] as const;

/** One stat line with its rolls written in. */
const statLine = (draw: Prng, table: ReadonlyArray<readonly [string, number, number]>): string => {
  const [text, low, high] = draw.pick(table);
  const roll = draw.int(low, high);
  return text.replace("##", String(roll + draw.int(1, 40))).replace("#", String(roll));
};

/** Several stat lines, none twice. */
export const statLines = (
  draw: Prng,
  table: ReadonlyArray<readonly [string, number, number]>,
  count: number,
): Array<string> => draw.sample(table, count).map((row) => statLine(draw, [row]));

/** Sentences of flavour text. */
export const FLAVOUR = [
  "What the river keeps, it keeps politely.",
  "Every lantern is somebody's evening.",
  "Count the steps down. Count them again on the way up.",
  "A promise weighs exactly as much as the hand that carries it.",
  "They built the bridge first and found the river later.",
  "Nobody asks the anchor where it would like to go.",
] as const;

/** Where icons would be served from. */
export const ASSETS = "https://assets.example.com";

/** The icon of a thing, named after it. */
export const icon = (folder: string, name: string): string =>
  `${ASSETS}/${folder}/${name.toLowerCase().replaceAll(/[^a-z0-9]+/gu, "-")}.png`;
