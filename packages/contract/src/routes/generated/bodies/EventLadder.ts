/**
 * EventLadder.
 *
 * Generated from the schema of `EventLadder` by `pnpm generate`. Not to be edited.
 */
import {
  makeRecord,
  type PlainRecord,
  type Shape,
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

const shape: Shape = {
  league: ["|", "n", { total: "u", entries: ["[", ["@", EventLadderEntry]] }],
};

/** EventLadder. */
export const EventLadder: PlainRecord<EventLadder> = /*#__PURE__*/ makeRecord(
  "EventLadder",
  shape,
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
      if (!Array.isArray(member)) return false;
      for (let i0 = 0; i0 < member.length; i0++) {
        const element0: unknown = member[i0];
        if (!EventLadderEntry.is(element0)) return false;
      }
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
