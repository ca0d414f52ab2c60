/**
 * How the mods of a listing are stored, twice. Its row has them as one text, which a walk in the
 * order of prices checks exactly. The full-text table `item_word` has a word for its term and a word
 * for each mod with a step of its value, which finds the listings that have rare mods. A row for
 * each mod would be by far the largest table.
 */

const WIDTH = 6;
const MAX_HUNDREDTHS = 36 ** WIDTH - 1;
const LAST_STEP = 29;

const base36 = (value: number): string => value.toString(36);
const fixedWidth = (hundredths: number): string =>
  base36(Math.min(MAX_HUNDREDTHS, Math.max(0, hundredths))).padStart(WIDTH, "0");

/** Returns the mods of a row: `|MOD=VALUE` each, with the value in hundredths and of one width. */
export const packMods = (mods: ReadonlyMap<number, number>): string =>
  Array.from(mods, ([mod, value]) => `${modKey(mod)}${fixedWidth(Math.round(value * 100))}`).join(
    "",
  );

/** Returns the text before the value of a mod in a row. */
export const modKey = (mod: number): string => `|${base36(mod)}=`;

/** Returns the first and the last value of a range, as rows have them. */
export const packedRange = (min = 0, max = Infinity): readonly [string, string] => [
  fixedWidth(Math.ceil(min * 100 - 1e-6)),
  fixedWidth(Math.floor(max * 100 + 1e-6)),
];

/** Two steps for each doubling, from 1 to 20,000. */
const step = (value: number): number =>
  Math.min(LAST_STEP, Math.max(0, Math.floor(2 * Math.log2(Math.max(value, 0.01)) + 1)));

/** Returns the word of a term in a league. */
export const termWord = (league: number, term: number): string => `l${league}t${term}`;

const modWord = (league: number, mod: number): string => `l${league}m${mod}v`;

/** Returns the words of a listing. */
export const itemWords = (
  league: number,
  term: number,
  mods: ReadonlyMap<number, number>,
): string =>
  [
    termWord(league, term),
    ...Array.from(mods, ([mod, value]) => `${modWord(league, mod)}${step(value)}`),
  ].join(" ");

/** Returns the queries of FTS5 of which a mod within a range matches one. */
export const valueRange = (
  league: number,
  mod: number,
  min = 0,
  max = Infinity,
): ReadonlyArray<string> => {
  const [from, to] = [step(min), step(max)];
  if (from === 0 && to === LAST_STEP) return [`${modWord(league, mod)}*`];
  return Array.from({ length: to - from + 1 }, (_, at) => `${modWord(league, mod)}${from + at}`);
};
