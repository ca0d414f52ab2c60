/** Nesting of JSON. To walk a value, or to write it, needs a stack as deep. */

/** No record is a tenth as deep. */
export const MAX_DEPTH = 500;

/** A string. The last one may have no end, so that its text does not count as brackets. */
const STRINGS = /"(?:[^"\\]|\\.)*"?/gsu;

/** The largest number of brackets that are open at once in a text of JSON. */
export const depthOf = (json: string): number => {
  let [depth, deepest] = [0, 0];
  for (const char of json.replaceAll(STRINGS, "")) {
    if (char === "[" || char === "{") deepest = Math.max(deepest, ++depth);
    else if (char === "]" || char === "}") depth -= 1;
  }
  return deepest;
};
