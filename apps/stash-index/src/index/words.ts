/**
 * Words of a listing in the full-text table `item_word`: one for its name and base, and one for
 * each mod with a step of its value, so that the table finds rare combinations. A table with a row
 * for each mod would be the largest table by far.
 */

const LAST_STEP = 29;

/** Returns the step of a value. There are two steps for each doubling, from 1 to 20,000. */
const step = (value: number): number =>
  Math.min(LAST_STEP, Math.max(0, Math.floor(2 * Math.log2(Math.max(value, 0.01)) + 1)));

/** Returns the word for a term, which is a name with its base, in a league. */
export const termWord = (league: number, term: number): string => `l${league}t${term}`;

const modWord = (league: number, mod: number): string => `l${league}m${mod}v`;

/** Returns the words of a listing, separated by spaces. */
export const itemWords = (
  league: number,
  term: number,
  mods: ReadonlyMap<number, number>,
): string => {
  const words = Array.from(mods, ([mod, value]) => `${modWord(league, mod)}${step(value)}`);
  return [termWord(league, term), ...words].join(" ");
};

/** Returns FTS5 queries. A listing whose value of the mod is in the range matches one of them. */
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
