/**
 * Watches a search: what is listed from now on, and what becomes of its matches.
 */
import { REASONS } from "../indexer/tables.ts";
import type { Filters } from "./Parameters.ts";
import type { Reader } from "./Reader.ts";
import type { WatchEvent } from "./records.ts";
import { byAge, describe, newest, openScope, type Scope, valueSql } from "./search.ts";
import { listedIn } from "./plan.ts";

/** Bounds the matches that a watch remembers; the oldest are forgotten first. */
const MOST_WATCHED = 5000;
const MOST_EVENTS = 500;

/** A watch over one search. */
export class Watch {
  private readonly watched: Set<number>;
  private lastItem: number;
  private lastGone: number;
  private readonly reader: Reader;
  private readonly filters: Filters;

  constructor(reader: Reader, filters: Filters) {
    this.reader = reader;
    this.filters = filters;
    const last = (table: string) =>
      reader.get<{ no: number | null }>(`SELECT max(no) AS no FROM ${table}`)?.no ?? 0;
    this.lastItem = last("item");
    this.lastGone = last("gone");
    this.watched = new Set(
      byAge(openScope(reader, filters), MOST_WATCHED, undefined).map(({ no }) => no),
    );
  }

  /** Gives the events since the last call. */
  step(): ReadonlyArray<WatchEvent> {
    const scope = openScope(this.reader, this.filters);
    const ended = this.reader.all<{ no: number; item: number; reason: number }>(
      "SELECT no, item, reason FROM gone WHERE no > ? ORDER BY no LIMIT ?",
      this.lastGone,
      MOST_EVENTS,
    );
    this.lastGone = ended.at(-1)?.no ?? this.lastGone;
    const events = ended
      .filter(({ item }) => this.watched.has(item))
      .map(({ item: no, reason }): WatchEvent => {
        const kind = REASONS[reason]!;
        if (kind !== "repriced") this.watched.delete(no);
        const value = kind === "repriced" ? priceOf(scope, no) : null;
        return { kind, no, item: describe(this.reader, [{ no, value }])[0] ?? null };
      });
    const range = [this.lastItem, Number.MAX_SAFE_INTEGER] as const;
    const fresh = newest(scope, listedIn(scope.league), MOST_EVENTS, range).toReversed();
    this.lastItem = fresh.at(-1)?.no ?? this.lastItem;
    for (const { no } of fresh) this.watched.add(no);
    for (const no of this.watched) {
      if (this.watched.size <= MOST_WATCHED) break;
      this.watched.delete(no);
    }
    const listed = describe(this.reader, fresh);
    return [...events, ...listed.map((item) => ({ kind: "listed" as const, no: item.no, item }))];
  }
}

const priceOf = ({ reader, values }: Scope, no: number): number | null =>
  reader.get<{ value: number | null }>(
    `SELECT ${valueSql(values)} AS value FROM item WHERE no = ?`,
    no,
  )?.value ?? null;
