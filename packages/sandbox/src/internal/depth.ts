/** How deep JSON is nested: walks, and writing it again, need a stack as deep. */

/** Also one that does not end: it is no start for others. */
const STRINGS = /"(?:[^"\\]|\\.)*"?/gsu;

/** A text of JSON with empty strings. */
export const withoutStrings = (text: string): string => text.replaceAll(STRINGS, '""');

/** No record is a tenth as deep; the walk along a shape, and writing it, need a stack as deep. */
export const MOST_DEPTH = 500;

/** How many brackets are open at once in a text without strings. */
export const depthOf = (bare: string): number => {
  let [depth, deepest] = [0, 0];
  for (const char of bare) {
    if (char === "[" || char === "{") deepest = Math.max(deepest, ++depth);
    else if (char === "]" || char === "}") depth -= 1;
  }
  return deepest;
};
