/** The words of a text, for long lists. */
export const wordsOf = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/u);
