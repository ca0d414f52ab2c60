/** Names of rarities. The index of a name is the `frameType` of the API. */
export const RARITIES = [
  "normal",
  "magic",
  "rare",
  "unique",
  "gem",
  "currency",
  "card",
  "quest",
  "prophecy",
  "foil",
] as const;
