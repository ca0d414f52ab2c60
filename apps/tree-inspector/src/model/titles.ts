/** The names of fields as the page shows them, by their names in a link. */
export const titleOf = (field: string): string => TITLES[field] ?? field;

/** A sentence of the library with the names that the page shows. */
export const inWords = (sentence: string): string =>
  sentence.replace(
    /\b(?:alternateAscendancy|extendedHashes|fullscreen|hash|hashes|masteries)\b/gu,
    (name) => (name === "hash" ? "node" : titleOf(name).toLowerCase()),
  );

const TITLES: Readonly<Record<string, string>> = {
  version: "Version",
  class: "Class",
  ascendancy: "Ascendancy",
  alternateAscendancy: "Second ascendancy",
  fullscreen: "Full screen",
  hashes: "Nodes",
  extendedHashes: "Cluster nodes",
  masteries: "Mastery effects",
};
