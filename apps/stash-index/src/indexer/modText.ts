/**
 * Splits the text of a mod into its template and its numbers, so that a range of a roll is a
 * numeric search: "+12% to Ember Resistance" is "+#% to Ember Resistance" with 12.
 */

/** A mod as the index keeps it. */
export interface ModValue {
  /** The text with `#` for each number; the sign stays in the text. */
  readonly template: string;
  /** The mean of its numbers ("Adds 3 to 9 …" is 6); 1 for a text without any. */
  readonly value: number;
}

const NUMBER = /\d+(?:\.\d+)?/gu;
/** Markup of the service: `<unique>{Name}` and `[Tag|Word]`. */
const MARKUP = /<[^<>{}]*>\{([^{}]*)\}|\[(?:[^[\]|]*\|)?([^[\]|]*)\]/gu;
const LONGEST = 200;

/** Rolls repeat: nine of ten lines were split before. */
const known = new Map<string, ModValue>();
const MOST_KNOWN = 20_000;

/** Splits one line. */
export const splitMod = (text: string): ModValue => {
  const found = known.get(text);
  if (found !== undefined) return found;
  if (known.size >= MOST_KNOWN) known.clear();
  const split = splitLine(text);
  known.set(text, split);
  return split;
};

const splitLine = (text: string): ModValue => {
  let total = 0;
  let count = 0;
  const template = text
    .replaceAll(MARKUP, (_, named?: string, tagged?: string) => named ?? tagged ?? "")
    .replaceAll(NUMBER, (digits) => {
      total += Number(digits);
      count += 1;
      return "#";
    })
    .replaceAll(/\s+/gu, " ")
    .trim()
    .toWellFormed()
    .slice(0, LONGEST);
  const value = count === 0 ? 1 : total / count;
  return { template, value: Number.isFinite(value) ? Math.round(value * 100) / 100 : 0 };
};

/** Sums the lines of an item by template: two sources of one mod are one larger mod. */
export const sumMods = (texts: Iterable<string>): ReadonlyMap<string, number> => {
  const sums = new Map<string, number>();
  for (const text of texts) {
    const { template, value } = splitMod(text);
    if (template !== "") sums.set(template, (sums.get(template) ?? 0) + value);
  }
  return sums;
};
