/** Sizes of the world, which a test or a benchmark can change. */

/** Sizes of the generated world. A smaller number than the minimum counts as the minimum. */
export interface WorldOptions {
  /** Public stashes per realm. Default 400. */
  readonly streamStashes?: number | undefined;
  /** Maximum number of changes on one page of the public stash stream. Default 150. */
  readonly streamPageSize?: number | undefined;
  /** Items of a listed stash, on average. Default 19. */
  readonly streamItems?: number | undefined;
  /** Full pages that the stream already holds at the start of the world. Default 20. */
  readonly streamHistoryPages?: number | undefined;
  /** Changes per minute of the virtual clock after the start of the world, or 0. Default 20. */
  readonly streamChangesPerMinute?: number | undefined;
  /** Hours of currency-exchange history before the start of the world. Default 336 (two weeks). */
  readonly exchangeHistoryHours?: number | undefined;
  /** Hours after which an exchange hour is removed. Default 1008 (six weeks). */
  readonly exchangeKeepHours?: number | undefined;
  /** Maximum number of pairs with activity in one hour. Default 60. */
  readonly exchangePairs?: number | undefined;
  /** Characters on a league's ladder. Default 20,000. */
  readonly ladderSize?: number | undefined;
}

/** Formats sizes as on the command line: `ladderSize=50 streamPageSize=20`. */
export const formatSizes = (sizes: WorldOptions = {}): string =>
  Object.entries(sizes)
    .flatMap(([name, size]) => (size === undefined ? [] : `${name}=${size}`))
    .toSorted()
    .join(" ");

export const parseSizes = (text: string): WorldOptions =>
  Object.fromEntries(
    text.split(" ").flatMap((pair) => {
      const [name, size] = pair.split("=");
      return size === undefined ? [] : [[name, Number(size)]];
    }),
  );

export type WorldSizes = { readonly [Name in keyof WorldOptions]-?: number };

/**
 * Default, minimum and maximum of each size. The maximum limits the time that one response takes.
 */
export const SIZES: Readonly<
  Record<keyof WorldSizes, readonly [fallback: number, least: number, most: number]>
> = {
  streamStashes: [400, 16, 1_000_000],
  streamPageSize: [150, 1, 10_000],
  streamItems: [19, 1, 200],
  streamHistoryPages: [20, 0, 1_000_000],
  streamChangesPerMinute: [20, 0, 100_000],
  exchangeHistoryHours: [336, 1, 100_000],
  exchangeKeepHours: [1008, 1, 100_000],
  exchangePairs: [60, 1, 10_000],
  ladderSize: [20_000, 0, 1_000_000],
};

export const resolveSizes = (options: WorldOptions): WorldSizes =>
  Object.fromEntries(
    Object.entries(SIZES).map(([name, [fallback, least]]) => [
      name,
      Math.max(least, options[name as keyof WorldSizes] ?? fallback),
    ]),
  ) as WorldSizes;

/** Sizes for benchmarks. Pages of the stream have about 5 MB, as on a busy service. */
export const LARGE_PAGES: WorldOptions = {
  streamStashes: 2_000,
  streamPageSize: 1_150,
  streamItems: 28,
  streamHistoryPages: 8,
};
