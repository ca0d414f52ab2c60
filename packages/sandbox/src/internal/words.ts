/** Splits lists of words, and finds the word that was probably meant. */

/** Splits a text at white space. Shortens long lists of words in the code. */
export const wordsOf = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/u);

/** Returns the known word nearest to a name, or undefined if no word is similar. */
export const nearestOf = (name: string, known: ReadonlyArray<string>): string | undefined => {
  let best: string | undefined;
  let least = (name.length < 5 ? 1 : Math.max(2, Math.floor(name.length / 3))) + 1;
  for (const word of known) {
    const distance = editDistance(name.toLowerCase(), word.toLowerCase());
    if (distance < least) [best, least] = [word, distance];
  }
  return best;
};

/** Counts insertions, deletions, replacements and swaps of neighbours between two short words. */
const editDistance = (one: string, other: string): number => {
  if (Math.abs(one.length - other.length) > 8) return Infinity;
  let before: Array<number> = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const next = [row];
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1] ? 0 : 1;
      let least = Math.min(last[column]! + 1, next[column - 1]! + 1, last[column - 1]! + same);
      const isSwap =
        row > 1 &&
        column > 1 &&
        one[row - 1] === other[column - 2] &&
        one[row - 2] === other[column - 1];
      if (isSwap) least = Math.min(least, before[column - 2]! + 1);
      next.push(least);
    }
    [before, last] = [last, next];
  }
  return last[other.length]!;
};
