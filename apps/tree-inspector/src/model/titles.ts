/** Returns the title that the page shows for a field. */
export const titleOf = (field: string): string => TITLES[field] ?? field;

/** Replaces the names of fields in a message of the library by their titles. */
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
