/**
 * The words of a listing in the full-text table `item_word`: a word for its term, and a word for each
 * mod with a step of its value, so that the table finds listings that have rare combinations. A row
 * for each mod would make the largest table by far.
 */

const LAST_STEP = 29;

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
): string => {
  const words = Array.from(mods, ([mod, value]) => `${modWord(league, mod)}${step(value)}`);
  return [termWord(league, term), ...words].join(" ");
};

/** Returns FTS5 queries, one of which matches each listing whose value of the mod is in the range. */
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
