/** The words of a text: long lists are read and changed better side by side. */
export const wordsOf = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/u);
