/**
 * Stackable currencies: code, name, size of a full stack, and worth in thousandths of an ember
 * shard when a league is old. The ember shard is the measure: its worth never changes.
 */
export const CURRENCIES = [
  ["ember-shard", "Ember Shard", 20, 1000],
  ["tide-shard", "Tide Shard", 20, 700],
  ["gilt-orb", "Gilt Orb", 10, 140_000],
  ["dusk-orb", "Dusk Orb", 10, 38_000],
  ["wayfarer-token", "Wayfarer Token", 40, 120],
  ["mending-thread", "Mending Thread", 40, 60],
  ["quicksilver-bead", "Quicksilver Bead", 20, 450],
  ["scribe-ink", "Scribe Ink", 20, 900],
  ["hollow-seal", "Hollow Seal", 10, 9000],
  ["garnet-chip", "Garnet Chip", 30, 300],
  ["amber-chip", "Amber Chip", 30, 240],
  ["slate-rune", "Slate Rune", 10, 2600],
  ["marl-rune", "Marl Rune", 10, 1900],
  ["pewter-coin", "Pewter Coin", 5000, 8],
  ["lantern-oil", "Lantern Oil", 10, 1400],
  ["harbour-writ", "Harbour Writ", 10, 5200],
  ["kestrel-feather", "Kestrel Feather", 20, 3300],
  ["ferry-pass", "Ferry Pass", 10, 17_000],
  ["viaduct-stone", "Viaduct Stone", 10, 900_000],
  ["orchard-seed", "Orchard Seed", 20, 35],
] as const;

/** Places in the table of the currencies that prices are asked in, the least first. */
export const PRICE_CURRENCIES: ReadonlyArray<number> = [13, 4, 0, 8, 3, 2, 18];
