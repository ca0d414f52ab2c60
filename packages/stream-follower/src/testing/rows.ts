/** Rows that the sink laws use: ordinary rows, and rows with extreme values. */

export const stashId = (name: string): string => name.padStart(64, "0");

export const listed = (id: string, name: string) => ({
  id: stashId(id),
  public: true,
  accountName: "Exile#1",
  stash: name,
  stashType: "PremiumStash",
  league: "Standard",
  items: [{ id: "i1" }, { id: "i2" }],
});

/** Returns text that a database cannot compress, the same in every run. */
const incompressible = (length: number, seed: number): string => {
  let state = seed;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return String.fromCharCode(33 + ((state >>> 16) % 90)).replace(/["\\]/u, "x");
  }).join("");
};

const odd = (id: string, more: Record<string, unknown> = {}) => ({
  ...listed("x", "odd"),
  ...more,
  id,
});

/**
 * Returns rows with ids that differ in case or a trailing space only, and with ids and texts that
 * hold U+0000 or lone surrogates, or are too long for an index of a database.
 */
const poison = (set: string) => [
  odd(`${set} id`),
  odd(`${set} Id`),
  odd(`${set} id `),
  odd(`${set} ${"i".repeat(64)}`),
  odd(`${set} ${"i".repeat(65)}`),
  odd(`${set} nul\u0000id`),
  odd(`${set} ${incompressible(9000, 1)}`),
  odd(`${set}\ud800 lone`),
  odd(`${set}\ud801 lone`),
  odd(stashId(`${set}1`), { accountName: "nul\u0000", league: "\udfff" }),
  odd(stashId(`${set}2`), {
    accountName: incompressible(9000, 2),
    league: incompressible(9000, 3),
  }),
  odd(stashId(`${set}3`), { stash: incompressible(100_000, 4) }),
];

const good = Array.from({ length: 293 }, (_, index) => listed(`good ${index}`, "good"));

/**
 * Pages with one extreme row each, then a page with all extreme rows among ordinary rows. Every row
 * has its own id.
 */
export const POISON_PAGES: ReadonlyArray<ReadonlyArray<unknown>> = [
  ...poison("a").map((row) => [row]),
  [...poison("b"), ...good],
];
