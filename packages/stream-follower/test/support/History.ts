/**
 * A made-up history of the stash stream with an oracle: what a store must hold after any number of
 * its pages.
 */

export interface MadePage {
  readonly id: string;
  readonly nextId: string;
  readonly stashes: ReadonlyArray<MadeStash>;
}

/** A stash; unlisted ones have `id` and `public` only (§4.2 rule 3). */
type MadeStash = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly public: boolean;
};

export interface HistoryOptions {
  readonly pages: number;
  readonly seed?: number;
  readonly stashesPerPage?: number;
  readonly itemsPerStash?: number;
  /** Distinct stashes: the fewer, the more often one comes back. */
  readonly stashPool?: number;
}

/** A seeded generator: the same history for the same options. */
export const random = (seed: number) => {
  let state = seed >>> 0 || 1;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

/** The id of the n-th page: opaque for the follower, readable for us. */
export const idOf = (index: number, realm = "pc"): string => `${realm}-${index}-${index * 7 + 3}`;

export const makeHistory = (options: HistoryOptions, realm = "pc"): ReadonlyArray<MadePage> => {
  const next = random(options.seed ?? 1);
  const pool = options.stashPool ?? 40;
  return Array.from({ length: options.pages }, (_, index) => ({
    id: idOf(index, realm),
    nextId: idOf(index + 1, realm),
    stashes: Array.from({ length: options.stashesPerPage ?? 5 }, (__, position) =>
      makeStash(next, pool, `${index}.${position}`, options.itemsPerStash ?? 3, realm),
    ),
  }));
};

const makeStash = (
  next: () => number,
  pool: number,
  mark: string,
  items: number,
  realm: string,
): MadeStash => {
  const id = Buffer.from(`${realm}/${Math.floor(next() * pool)}`)
    .toString("hex")
    .padStart(64, "0");
  if (next() < 0.15) return { id, public: false };
  return {
    id,
    public: true,
    accountName: `Exile#${Math.floor(next() * 9999)}`,
    stash: `~price ${mark} chaos`,
    stashType: "PremiumStash",
    league: "Standard",
    items: Array.from({ length: items }, (_, index) => makeItem(next, `${mark}.${index}`)),
  };
};

const makeItem = (next: () => number, mark: string): Record<string, unknown> => ({
  verified: false,
  w: 1,
  h: 1,
  icon: "https://static.invalid/icon.png",
  id: Buffer.from(mark).toString("hex").padStart(64, "0"),
  name: `Wyrm "${mark}" {}`,
  typeLine: 'next_change_id":"a-trap',
  baseType: "Ring",
  identified: true,
  ilvl: Math.floor(next() * 86),
  frameType: 2,
  x: 0,
  y: 0,
  inventoryId: "Stash1",
});

export const bodyOf = (page: MadePage): string =>
  JSON.stringify({ next_change_id: page.nextId, stashes: page.stashes });

/**
 * Computes the expected content of a store after these pages: stash id to its JSON, `null` for a
 * tombstone.
 */
export const fold = (pages: ReadonlyArray<MadePage>): Map<string, string | null> => {
  const state = new Map<string, string | null>();
  for (const page of pages) {
    for (const stash of page.stashes) {
      state.set(stash.id, stash.public ? JSON.stringify(stash) : null);
    }
  }
  return state;
};
