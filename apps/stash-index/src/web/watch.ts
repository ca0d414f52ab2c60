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

/** A place in a watch: the last number of a listing and of an ending that were looked at. */
export interface Place {
  readonly item: number;
  readonly gone: number;
}

/** An event, and the place after it. */
export interface PlacedEvent {
  readonly place: Place;
  readonly event: WatchEvent;
}

/** A watch over one search. */
export class Watch {
  private readonly watched: Set<number>;
  /** The next step begins after it. */
  place: Place;
  private readonly reader: Reader;
  private readonly filters: Filters;

  /**
   * Begins now, or after an earlier place. What was listed and repriced since then is found again;
   * what was sold is not, because the index keeps no mods of it to compare with the filters.
   */
  constructor(reader: Reader, filters: Filters, after?: Place) {
    this.reader = reader;
    this.filters = filters;
    const last = (table: string) =>
      reader.get<{ no: number | null }>(`SELECT max(no) AS no FROM ${table}`)?.no ?? 0;
    const now = { item: last("item"), gone: last("gone") };
    // An index that was built anew may not have come as far.
    const isKnown = after !== undefined && after.item <= now.item && after.gone <= now.gone;
    this.place = isKnown ? after : now;
    this.watched = new Set(
      byAge(openScope(reader, filters), MOST_WATCHED, undefined).map(({ no }) => no),
    );
  }

  /** Gives the events since the last call. */
  step(): ReadonlyArray<PlacedEvent> {
    const scope = openScope(this.reader, this.filters);
    const ended = this.reader.all<{ no: number; item: number; reason: number }>(
      "SELECT no, item, reason FROM gone WHERE no > ? ORDER BY no LIMIT ?",
      this.place.gone,
      MOST_EVENTS,
    );
    const { item: lastItem } = this.place;
    const lastGone = ended.at(-1)?.no ?? this.place.gone;
    const events = ended
      .filter(({ item }) => this.watched.has(item))
      .map(({ item: no, no: gone, reason }): PlacedEvent => {
        const kind = REASONS[reason]!;
        if (kind !== "repriced") this.watched.delete(no);
        const value = kind === "repriced" ? priceOf(scope, no) : null;
        const item = describe(this.reader, [{ no, value }])[0] ?? null;
        return { place: { item: lastItem, gone }, event: { kind, no, item } };
      });
    const range = [lastItem, Number.MAX_SAFE_INTEGER] as const;
    const fresh = newest(scope, listedIn(scope.league), MOST_EVENTS, range).toReversed();
    this.place = { item: fresh.at(-1)?.no ?? lastItem, gone: lastGone };
    for (const { no } of fresh) this.watched.add(no);
    for (const no of this.watched) {
      if (this.watched.size <= MOST_WATCHED) break;
      this.watched.delete(no);
    }
    const listed = describe(this.reader, fresh).map((item): PlacedEvent => ({
      place: { item: item.no, gone: lastGone },
      event: { kind: "listed", no: item.no, item },
    }));
    return [...events, ...listed];
  }
}

const priceOf = ({ reader, values }: Scope, no: number): number | null =>
  reader.get<{ value: number | null }>(
    `SELECT ${valueSql(values)} AS value FROM item WHERE no = ?`,
    no,
  )?.value ?? null;
