/**
 * Content of a `SinkJsonl` file, read from the first byte: the number of current rows, the records
 * in quarantine, and the page that each row came with.
 */
import type { ExchangeRealm, StreamKey, StreamSource } from "../Model.ts";
import type { StoredQuarantine, StoreStatus } from "../Sink.ts";
import { type JournalState, type JsonlRow, scan } from "./schema.ts";

/** Everything that counts in a file, replayed. */
export interface ReplayedState {
  readonly key: StreamKey;
  readonly standing: JournalState;
  /** Pages that count. */
  pages: number;
  /** Gap records. */
  gaps: number;
  /**
   * By stash id, or by hour, league and market: the page of the latest row and the items in it,
   * none for a tombstone.
   */
  readonly rows: Map<string, ReplayedRow>;
  /** Quarantined and not replayed, by number. */
  readonly quarantine: Map<number, StoredQuarantine>;
}

interface ReplayedRow {
  readonly seq: bigint;
  readonly isListed: boolean;
  readonly items: number;
}

/** Reads a file. */
export const replay = async (path: string, key: StreamKey): Promise<ReplayedState> => {
  const rows = new Map<string, ReplayedRow>();
  const quarantine = new Map<number, StoredQuarantine>();
  const counts = { pages: 0, gaps: 0, records: 0 };
  let seq = 0n;
  let receivedAt = 0;
  const take = (row: JsonlRow): void => {
    if ("page" in row) {
      counts.pages += 1;
      seq = BigInt(row.page["seq"] as string);
      receivedAt = row.page["receivedAt"] as number;
    } else if ("replayed" in row) {
      quarantine.delete(row.replayed.id);
      seq = BigInt(row.replayed.seq);
    } else if ("gap" in row) counts.gaps += 1;
    else if ("quarantine" in row) {
      counts.records += 1;
      const record = row.quarantine as unknown as Omit<StoredQuarantine, "bytes"> & {
        readonly bytes: string;
      };
      const bytes = Buffer.from(record.bytes, "base64");
      const requestedId = record.requestedId ?? undefined;
      const firstSeen = receivedAt;
      const id = counts.records;
      quarantine.set(id, { ...record, requestedId, bytes, id, key, seq, firstSeen });
    } else rows.set(nameOf(row), replayedRow(row, seq));
  };
  const standing = await scan(path, (lines) => {
    for (const line of lines) take(JSON.parse(line) as JsonlRow);
  });
  return { key, standing, pages: counts.pages, gaps: counts.gaps, rows, quarantine };
};

type DataRow = Extract<JsonlRow, { stash: unknown } | { tombstone: string } | { market: unknown }>;

/** The status of a file; `undefined` while no page is in it. */
export const statusOf = (
  replayed: ReplayedState,
  polledAt: number | undefined,
): StoreStatus | undefined => {
  const { checkpoint } = replayed.standing;
  if (checkpoint === undefined) return undefined;
  const { nextId, seq, receivedAt } = checkpoint;
  let listed = 0;
  let items = 0;
  for (const row of replayed.rows.values()) {
    if (row.isListed) listed += 1;
    items += row.items;
  }
  return {
    key: replayed.key,
    nextId,
    seq,
    epoch: replayed.standing.epoch,
    pages: replayed.pages,
    rows: listed,
    items,
    quarantined: replayed.quarantine.size,
    gaps: replayed.gaps,
    receivedAt,
    polledAt,
  };
};

const replayedRow = (row: DataRow, seq: bigint): ReplayedRow => {
  if ("tombstone" in row) return { seq, isListed: false, items: 0 };
  if ("market" in row) return { seq, isListed: true, items: 0 };
  const { items } = row.stash as { readonly items?: unknown };
  return { seq, isListed: true, items: Array.isArray(items) ? items.length : 0 };
};

/**
 * Returns the name under which a row replaces an older one: the id of its stash, or the hour,
 * league and id of its market.
 */
export const nameOf = (row: DataRow): string => {
  if ("tombstone" in row) return row.tombstone;
  if ("stash" in row) return (row.stash as { readonly id: string }).id;
  const { league, market_id: id } = row.market as { league: string; market_id: string };
  return `${row.hour} ${league} ${id}`;
};

/** The stream whose file has this name. */
export const keyOfFile = (name: string): StreamKey | undefined => {
  const [, source, realm] =
    /^(stashes|exchange)-(pc|console_a|console_b|game2)\.jsonl$/.exec(name) ?? [];
  if (source === undefined || realm === undefined) return undefined;
  return { source: source as StreamSource, realm: realm as ExchangeRealm };
};
