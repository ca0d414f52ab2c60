/**
 * A rank of an event's ladder.
 *
 * Generated from the schema of `EventLadderEntry` by `pnpm generate`. Not to be edited.
 *
 * @example
 * ```ts
 * import { EventLadderEntry } from "@game-data/schemas";
 *
 * const result = EventLadderEntry.safeDecode(null);
 * if (result.ok) throw new Error("null is no EventLadderEntry");
 * ```
 */
import { makeRecord, type PlainRecord } from "../PlainRecord.ts";
import { isObject, isUint } from "../tests.ts";

/** A rank of an event's ladder. */
export interface EventLadderEntry {
  readonly rank: number;
  readonly ineligible?: boolean | null;
  /** Seconds to complete the league objective. */
  readonly time?: number | null;
  readonly private_league: {
    readonly name: string;
    /** Link to a private league. */
    readonly url: string;
  };
}

/** A rank of an event's ladder. */
export const EventLadderEntry: PlainRecord<EventLadderEntry> = /*#__PURE__*/ makeRecord(
  "EventLadderEntry",
  { rank: "u", "ineligible?": "bn", "time?": "un", private_league: { name: "s", url: "s" } },
  check,
);

function part1(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "name" || key === "url") {
      if (!(typeof member === "string")) return false;
      required++;
    }
  }
  return required === 2;
}

/** The check alone; `depth` counts how deep the record is nested in itself. */
export function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (key === "rank") {
      if (!isUint(member)) return false;
      required++;
    } else if (key === "private_league") {
      if (!part1(member)) return false;
      required++;
    } else if (key === "ineligible") {
      if (!(typeof member === "boolean")) return false;
    } else if (key === "time") {
      if (!isUint(member)) return false;
    }
  }
  return required === 2;
}
