/**
 * Stackable currencies: code, name, size of a full stack, worth in an old league, and effect. Worth
 * is in thousandths of an ember shard, whose own worth never changes.
 */
export const CURRENCIES = [
  ["ember-shard", "Ember Shard", 20, 1000, "Adds a random line to a rare item"],
  ["tide-shard", "Tide Shard", 20, 700, "Rolls the lines of a rare item anew"],
  ["gilt-orb", "Gilt Orb", 10, 140_000, "Rolls the numbers of every line anew"],
  ["dusk-orb", "Dusk Orb", 10, 38_000, "Removes a random line of an item"],
  ["wayfarer-token", "Wayfarer Token", 40, 120, "Makes a normal item magic"],
  ["mending-thread", "Mending Thread", 40, 60, "Improves the quality of armour"],
  ["quicksilver-bead", "Quicksilver Bead", 20, 450, "Improves the quality of a flask"],
  ["scribe-ink", "Scribe Ink", 20, 900, "Identifies an item"],
  ["hollow-seal", "Hollow Seal", 10, 9000, "Corrupts an item beyond change"],
  ["garnet-chip", "Garnet Chip", 30, 300, "Rolls the lines of a magic item anew"],
  ["amber-chip", "Amber Chip", 30, 240, "Adds a line to a magic item"],
  ["slate-rune", "Slate Rune", 10, 2600, "Makes a normal item rare"],
  ["marl-rune", "Marl Rune", 10, 1900, "Makes a rare item normal"],
  ["pewter-coin", "Pewter Coin", 5000, 8, "Pays for small things in every harbour"],
  ["lantern-oil", "Lantern Oil", 10, 1400, "Adds light to a map"],
  ["harbour-writ", "Harbour Writ", 10, 5200, "Opens a harbour for a day"],
  ["kestrel-feather", "Kestrel Feather", 20, 3300, "Changes the number of sockets"],
  ["ferry-pass", "Ferry Pass", 10, 17_000, "Changes the colours of sockets"],
  ["viaduct-stone", "Viaduct Stone", 10, 900_000, "Duplicates an item"],
  ["orchard-seed", "Orchard Seed", 20, 35, "Grows into a line of the orchard"],
] as const;

/** Indexes in `CURRENCIES` of the currencies in which prices are stated, the lesser first. */
export const PRICE_CURRENCIES: ReadonlyArray<number> = [0, 2];
