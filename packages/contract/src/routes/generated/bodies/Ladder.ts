/**
 * Ladder.
 *
 * Generated from the schema of `Ladder` by `pnpm generate`. Not to be edited.
 */
import {
  makeRecord,
  type PlainRecord,
  isEach,
  isObject,
  isUint,
} from "@game-data/schemas/PlainRecord";
import { LadderEntry } from "@game-data/schemas/LadderEntry";

/** Ladder. */
export interface Ladder {
  readonly league: {
    readonly total: number;
    readonly cached_since?: string | null;
    readonly entries: ReadonlyArray<LadderEntry>;
  } | null;
}

/** Ladder. */
export const Ladder: PlainRecord<Ladder> = /*#__PURE__*/ makeRecord(
  "Ladder",
  { league: ["|", "n", { total: "u", "cached_since?": "sn", entries: ["[", ["@", LadderEntry]] }] },
  check,
);

function part1(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (key === "total") {
      if (!isUint(member)) return false;
      required++;
    } else if (key === "entries") {
      if (!isEach(member, LadderEntry.is)) return false;
      required++;
    } else if (key === "cached_since") {
      if (!(typeof member === "string")) return false;
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
