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

export const ADJECTIVES = wordsOf(`
  Amber Ashen Brazen Candid Dappled Dusky Fabled Gentle Hollow Keen Lucid Muted Nimble Ochre
  Pale Quiet Restless Silent Tidal Umber Veiled Wistful
`);

export const NOUNS = wordsOf(`
  Anchor Beacon Compass Drift Ember Ferry Garnet Harbour Inkwell Juniper Kestrel Lantern Meadow
  Needle Orchard Plume Quarry Ribbon Saddle Thicket Viaduct Willow
`);

/** "Quiet Harbour": names of things, tabs, guilds and leagues. */
export const twoWords = (draw: Prng): string => `${draw.pick(ADJECTIVES)} ${draw.pick(NOUNS)}`;

/** "a Lantern", "an Anchor". */
export const withArticle = (noun: string): string =>
  `${/^[AEIOU]/u.test(noun) ? "an" : "a"} ${noun}`;

/** Leagues of the passing seasons, by number. */
export const LEAGUE_NAMES = wordsOf(`
  Tidewrack Emberfall Lanternway Hollowmere Gleamvault Thornmarch Saltglass Windharrow
`);

/** A line with a roll between two bounds written in. */
export const statLine = (draw: Prng, text: string, low: number, high: number): string => {
  const roll = draw.int(low, high);
  return text.replace("##", String(roll + draw.int(1, 40))).replace("#", String(roll));
};

/** Several lines of a table, none twice, rolled over all of their tiers. */
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

/** Origin that icons would be served from. */
export const ASSETS = "https://assets.example.com";

/** Names as addresses spell them; the vocabulary makes a few thousand. */
const slugs = new Map<string, string>();

export const icon = (folder: string, name: string): string => {
  let slug = slugs.get(name);
  if (slug === undefined)
    slugs.set(name, (slug = name.toLowerCase().replaceAll(/[^a-z0-9]+/gu, "-")));
  return `${ASSETS}/${folder}/${slug}.png`;
};
