/**
 * EventLadder.
 *
 * Generated from the schema of `EventLadder` by `pnpm generate`. Not to be edited.
 */
import {
  makeRecord,
  type PlainRecord,
  isEach,
  isObject,
  isUint,
} from "@game-data/schemas/PlainRecord";
import { EventLadderEntry } from "@game-data/schemas/EventLadderEntry";

/** EventLadder. */
export interface EventLadder {
  readonly league: {
    readonly total: number;
    readonly entries: ReadonlyArray<EventLadderEntry>;
  } | null;
}

/** EventLadder. */
export const EventLadder: PlainRecord<EventLadder> = /*#__PURE__*/ makeRecord(
  "EventLadder",
  { league: ["|", "n", { total: "u", entries: ["[", ["@", EventLadderEntry]] }] },
  check,
);

function part1(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "total") {
      if (!isUint(member)) return false;
      required++;
    } else if (key === "entries") {
      if (!isEach(member, EventLadderEntry.is)) return false;
      required++;
    }
  }
  return required === 2;
}

function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "league") {
      if (!(member === null || part1(member))) return false;
      required++;
    }
  }
  return required === 1;
}
