/**
 * The invented vocabulary of the world: names of people, places, things and effects.
 *
 * Nothing here belongs to a real game. The words are neutral on purpose, so that no fixture that is
 * recorded from the sandbox can be mistaken for data of a real service.
 */
import type { StatRow } from "./data/modifiers.ts";
import type { Prng } from "./Prng.ts";
import { wordsOf } from "../internal/words.ts";

const ONSETS = wordsOf("B Br C D El F G H I K L M N Or P R S T V Z");
const MIDDLES = ["a", "e", "i", "o", "u", "ae", "ari", "elo", "ina", "oru", "umi", "y"];
const CODAS = wordsOf("dan keth lin mor ndra phis rak ric sha thas van wyn x zel");

/** Endings beyond ASCII, because a client has to cope with such names of people. */
const FAR_CODAS = ["löf", "ñez", "ček", "åse", "ère"];

/** Draws the name of a person: `Brinathas`. */
export const givenName = (draw: Prng): string =>
  draw.pick(ONSETS) + draw.pick(MIDDLES) + draw.pick(draw.chance(0.06) ? FAR_CODAS : CODAS);

/**
 * Draws a character's name, in ASCII as in the game. There are enough names to be almost unique.
 */
export const characterName = (draw: Prng): string => {
  const base = draw.pick(ONSETS) + draw.pick(MIDDLES) + draw.pick(CODAS);
  const form = draw.int(0, 4);
  if (form === 0) return `${base}_${draw.pick(NOUNS)}`;
  if (form === 1) return `${draw.pick(ADJECTIVES)}${base}`;
  if (form === 2) return `${base}${draw.int(2, 9999)}`;
  return `${base}The${draw.pick(NOUNS)}`;
};

export const ADJECTIVES = wordsOf(`
  Amber Ashen Brazen Candid Dappled Dusky Fabled Gentle Hollow Keen Lucid Muted Nimble Ochre
  Pale Quiet Restless Silent Tidal Umber Veiled Wistful
`);

export const NOUNS = wordsOf(`
  Anchor Beacon Compass Drift Ember Ferry Garnet Harbour Inkwell Juniper Kestrel Lantern Meadow
  Needle Orchard Plume Quarry Ribbon Saddle Thicket Viaduct Willow
`);

/** Draws a name of a thing, tab, guild or league: `Quiet Harbour`. */
export const twoWords = (draw: Prng): string => `${draw.pick(ADJECTIVES)} ${draw.pick(NOUNS)}`;

/** Adds the indefinite article: `a Lantern`, `an Anchor`. */
export const withArticle = (noun: string): string =>
  `${/^[AEIOU]/u.test(noun) ? "an" : "a"} ${noun}`;

/** Names of challenge leagues, in the order in which they follow each other. */
export const LEAGUE_NAMES = wordsOf(`
  Tidewrack Emberfall Lanternway Hollowmere Gleamvault Thornmarch Saltglass Windharrow
`);

/** Writes a roll between two bounds into a line, in the place of its `#`. */
export const statLine = (draw: Prng, text: string, low: number, high: number): string => {
  const roll = draw.int(low, high);
  return text.replace("##", String(roll + draw.int(1, 40))).replace("#", String(roll));
};

/** Draws different lines of a table, each rolled over its whole range. */
export const statLines = (
  draw: Prng,
  table: ReadonlyArray<StatRow>,
  count: number,
): Array<string> =>
  draw.sample(table, count).map(([text, low, high]) => statLine(draw, text, low, high));

export const FLAVOUR = [
  "What the river keeps, it keeps politely.",
  "Every lantern is somebody's evening.",
  "Count the steps down. Count them again on the way up.",
  "A promise weighs exactly as much as the hand that carries it.",
  "They built the bridge first and found the river later.",
  "Nobody asks the anchor where it would like to go.",
] as const;

/** Origin of the icons in records. No server answers there. */
export const ASSETS = "https://assets.example.com";

/** Names as they are written in URLs. The vocabulary has a few thousand names. */
const slugs = new Map<string, string>();

export const icon = (folder: string, name: string): string => {
  let slug = slugs.get(name);
  if (slug === undefined)
    slugs.set(name, (slug = name.toLowerCase().replaceAll(/[^a-z0-9]+/gu, "-")));
  return `${ASSETS}/${folder}/${slug}.png`;
};
