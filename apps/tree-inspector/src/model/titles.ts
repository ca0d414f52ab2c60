/** The names of fields as the page shows them, by their names in a link. */
export const titleOf = (field: string): string => TITLES[field] ?? field;

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
