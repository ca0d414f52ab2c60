/**
 * Counts the records of the files by kind, and the results of checking them.
 */
import { type Files, isMembers, type Members } from "./Files.ts";

/** The records of one file. */
export interface CapturedRecords {
  /** The record type by the specification's name, or the kind of a bare list. */
  readonly kind: string;
  readonly records: ReadonlyArray<unknown>;
  /** JSON pointer of the list, or of the single record. */
  readonly pointer: string;
  readonly isList: boolean;
}

/** The kind of record under each member of a body. The first member that is present decides. */
const MEMBERS: Readonly<Record<string, string>> = {
  characters: "Character",
  character: "Character",
  stash: "StashTab",
  leagues: "League",
  entries: "LadderEntry",
  matches: "PvPMatch",
  filter: "ItemFilter",
  markets: "Market",
};

/** Returns the records of a body; `undefined` if it holds none. */
export const recordsIn = (body: Members): CapturedRecords | undefined => {
  const { kind, records } = body;
  if (typeof kind === "string")
    return Array.isArray(records)
      ? { kind, records, pointer: "/records", isList: true }
      : undefined;
  if ("uuid" in body) return { kind: "Profile", records: [body], pointer: "", isList: false };
  if (Array.isArray(body["stashes"]))
    return {
      kind: "next_change_id" in body ? "PublicStashChange" : "StashTab",
      records: body["stashes"],
      pointer: "/stashes",
      isList: true,
    };
  // A ladder is a member of its league.
  const [inner, parent] = isMembers(body["league"]) ? [body["league"], "/league"] : [body, ""];
  const member = Object.keys(MEMBERS).find((name) => name in inner);
  if (member === undefined) return undefined;
  const value = inner[member];
  const isList = Array.isArray(value);
  return {
    kind: MEMBERS[member]!,
    records: isList ? value : [value],
    pointer: `${parent}/${member}`,
    isList,
  };
};

/** The result of checking a record. */
export interface CheckResult {
  readonly accepted: boolean;
  readonly drift: boolean;
}

/** The records of one kind, counted. */
export interface RecordCounts {
  readonly kind: string;
  readonly files: number;
  readonly records: number;
  readonly accepted: number;
  readonly rejected: number;
  readonly drift: number;
}

/** The counts of all records. */
export interface AllRecordCounts {
  /** By kind. */
  readonly rows: ReadonlyArray<RecordCounts>;
  /** Of all kinds. */
  readonly total: { readonly records: number; readonly accepted: number };
  /** Files without records, or with a kind that has no checker. */
  readonly others: ReadonlyArray<string>;
}

/** Checks records of one kind. */
export type RecordChecker = (record: unknown) => CheckResult;

/** Counts the records of a folder by kind. `checkerFor` returns `undefined` for unknown kinds. */
export const countRecords = (
  { bodies }: Files,
  checkerFor: (kind: string) => RecordChecker | undefined,
): AllRecordCounts => {
  const rows: Array<RecordCounts> = [];
  const found = bodies.map(({ body, path }) => ({ path, ...recordsIn(body) }));
  const byKind = Map.groupBy(found, ({ kind }) => kind);
  for (const [kind, files] of byKind) {
    const check = kind === undefined ? undefined : checkerFor(kind);
    if (kind === undefined || check === undefined) continue;
    byKind.delete(kind);
    const results = files.flatMap(({ records = [] }) => records.map(check));
    rows.push({
      kind,
      files: files.length,
      records: results.length,
      accepted: results.filter(({ accepted }) => accepted).length,
      rejected: results.filter(({ accepted }) => !accepted).length,
      drift: results.filter(({ drift }) => drift).length,
    });
  }
  const others = [...byKind.values()].flatMap((files) => files.map(({ path }) => path));
  const total = {
    records: rows.reduce((sum, row) => sum + row.records, 0),
    accepted: rows.reduce((sum, row) => sum + row.accepted, 0),
  };
  return { rows: rows.toSorted((a, b) => (a.kind < b.kind ? -1 : 1)), total, others };
};

/** Kinds in a manifest that are not records. */
const NO_RECORDS = new Set(["ItemFilter.filter", "RateLimitHeaders", "Error"]);

/** Returns the number of records in the manifest; `undefined` without one. */
export const announcedRecords = ({ announced }: Files): number | undefined =>
  announced
    ?.filter(({ kind }) => !NO_RECORDS.has(kind))
    .reduce((sum, { records }) => sum + records, 0);
