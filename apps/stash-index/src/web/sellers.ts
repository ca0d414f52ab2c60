/**
 * Sellers, their tabs, and the items of a tab.
 */
import type { Reader } from "./Reader.ts";
import type { Tab } from "./records.ts";
import { describe } from "./search.ts";

const TAB = `SELECT tab.no, lower(hex(tab.key)) AS id, tab.public, seller.name AS seller, tab.name,
    tab.type, league.name AS league, tab.items, tab.seen_at AS seenAt, tab.seq
  FROM tab LEFT JOIN seller ON seller.no = tab.seller LEFT JOIN league ON league.no = tab.league`;

interface TabRow extends Omit<Tab, "isPublic"> {
  readonly no: number;
  readonly public: number;
}

const toTab = ({ public: isPublic, ...row }: TabRow): Tab => ({
  ...row,
  isPublic: isPublic === 1,
});

/** The public tabs of a seller, the last changed first; `undefined` for an unknown name. */
export const tabs = (reader: Reader, name: string): ReadonlyArray<Tab> | undefined => {
  const seller = reader.get<{ readonly no: number }>("SELECT no FROM seller WHERE name = ?", name);
  return seller === undefined
    ? undefined
    : reader
        .all<TabRow>(
          `${TAB} WHERE tab.seller = ? AND tab.public = 1 ORDER BY tab.seq DESC LIMIT 1000`,
          seller.no,
        )
        .map(toTab);
};

/** A tab with its items; `undefined` for an unknown id. */
export const tab = (reader: Reader, id: string) => {
  const row = reader.get<TabRow>(`${TAB} WHERE tab.key = ?`, Buffer.from(id, "hex"));
  if (row === undefined) return undefined;
  const numbers = reader.all<{ readonly no: number }>(
    "SELECT no FROM item WHERE tab = ? LIMIT 1000",
    row.no,
  );
  const items = describe(
    reader,
    numbers.map(({ no }) => ({ no, value: null })),
  );
  return { tab: toTab(row), items };
};
