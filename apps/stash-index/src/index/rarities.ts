/** The words of rarity, by the wire's `frameType`. */
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
