/**
 * Which records the files hold, by kind, and what somebody who knows the kinds says of them.
 */
import { type Files, isMembers, type Members } from "./Files.ts";

/** The records of one file. */
export interface CapturedRecords {
  /** The record type by the specification's name, or as a bare list calls it. */
  readonly kind: string;
  readonly records: ReadonlyArray<unknown>;
}

/** The kind of record under each member of an answer; the most telling member first. */
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

/** The records of a body; `undefined` for one that holds none. */
export const recordsIn = (body: Members): CapturedRecords | undefined => {
  const { kind, records } = body;
  if (typeof kind === "string") return Array.isArray(records) ? { kind, records } : undefined;
  if ("uuid" in body) return { kind: "Profile", records: [body] };
  if (Array.isArray(body["stashes"]))
    return {
      kind: "next_change_id" in body ? "PublicStashChange" : "StashTab",
      records: body["stashes"],
    };
  // A ladder stands beside its league's members.
  const inner = isMembers(body["league"]) ? body["league"] : body;
  const member = Object.keys(MEMBERS).find((name) => name in inner);
  if (member === undefined) return undefined;
  const value = inner[member];
  return { kind: MEMBERS[member]!, records: Array.isArray(value) ? value : [value] };
};

/** What is said of one record: whether it is accepted, and whether there is more to say. */
export interface Verdict {
  readonly accepted: boolean;
  readonly drift: boolean;
}

/** The records of one kind, counted. */
export interface CensusRow {
  readonly kind: string;
  readonly files: number;
  readonly records: number;
  readonly accepted: number;
  readonly refused: number;
  readonly drift: number;
}

/** What a census found. */
export interface Census {
  /** By kind. */
  readonly rows: ReadonlyArray<CensusRow>;
  /** Of all kinds. */
  readonly total: { readonly records: number; readonly accepted: number };
  /** The files without records, or with those of a kind that nobody judges. */
  readonly others: ReadonlyArray<string>;
}

/** Who says it, of the records of one kind. */
export type Judge = (record: unknown) => Verdict;

/**
 * All records of a folder by kind. `judgeOf` gives `undefined` for a kind that it does not know.
 */
export const census = ({ bodies }: Files, judgeOf: (kind: string) => Judge | undefined): Census => {
  const rows: Array<CensusRow> = [];
  const found = bodies.map(({ body, path }) => ({ path, ...recordsIn(body) }));
  const byKind = Map.groupBy(found, ({ kind }) => kind);
  for (const [kind, files] of byKind) {
    const judge = kind === undefined ? undefined : judgeOf(kind);
    if (kind === undefined || judge === undefined) continue;
    byKind.delete(kind);
    const verdicts = files.flatMap(({ records = [] }) => records.map(judge));
    rows.push({
      kind,
      files: files.length,
      records: verdicts.length,
      accepted: verdicts.filter(({ accepted }) => accepted).length,
      refused: verdicts.filter(({ accepted }) => !accepted).length,
      drift: verdicts.filter(({ drift }) => drift).length,
    });
  }
  const others = [...byKind.values()].flatMap((files) => files.map(({ path }) => path));
  const total = {
    records: rows.reduce((sum, row) => sum + row.records, 0),
    accepted: rows.reduce((sum, row) => sum + row.accepted, 0),
  };
  return { rows: rows.toSorted((a, b) => (a.kind < b.kind ? -1 : 1)), total, others };
};

/** What a manifest calls files that hold no records. */
const NO_RECORDS = new Set(["ItemFilter.filter", "RateLimitHeaders", "Error"]);

/** The records of a folder as its manifest counts them; `undefined` without one. */
export const announcedRecords = ({ announced }: Files): number | undefined =>
  announced
    ?.filter(({ kind }) => !NO_RECORDS.has(kind))
    .reduce((sum, { records }) => sum + records, 0);
