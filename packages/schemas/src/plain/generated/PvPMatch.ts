/**
 * A PvP match.
 *
 * Generated from the schema of `PvPMatch` by `pnpm generate`. Not to be edited.
 *
 * @example
 * ```ts
 * import { PvPMatch } from "@game-data/schemas";
 *
 * const result = PvPMatch.safeDecode(null);
 * if (result.ok) throw new Error("null is no PvPMatch");
 * ```
 */
import { makeRecord, type PlainRecord } from "../PlainRecord.ts";
import { isObject } from "../tests.ts";
import type { RealmWord } from "../Realm.ts";

/** A PvP match. */
export interface PvPMatch {
  /** The match's name. */
  readonly id: string;
  /** `pc`, `console_a`, or `console_b`. */
  readonly realm?: RealmWord | null;
  /** Date-time. */
  readonly startAt?: string | null;
  /** Date-time. */
  readonly endAt?: string | null;
  /** Link to a forum thread. */
  readonly url?: string | null;
  readonly description: string;
  readonly glickoRatings: boolean;
  /** Always true. */
  readonly pvp: boolean;
  /** `Blitz`, `Swiss`, or `Arena`. */
  readonly style: "Blitz" | "Swiss" | "Arena" | (string & {});
  /** Date-time. */
  readonly registerAt?: string | null;
  /** Always true if present. */
  readonly complete?: boolean | null;
  /** Always true if present. */
  readonly upcoming?: boolean | null;
  /** Always true if present. */
  readonly inProgress?: boolean | null;
}

/** A PvP match. */
export const PvPMatch: PlainRecord<PvPMatch> = /*#__PURE__*/ makeRecord(
  "PvPMatch",
  {
    id: "s",
    "realm?": "sn",
    "startAt?": "sn",
    "endAt?": "sn",
    "url?": "sn",
    description: "s",
    glickoRatings: "b",
    pvp: "b",
    style: "s",
    "registerAt?": "sn",
    "complete?": "bn",
    "upcoming?": "bn",
    "inProgress?": "bn",
  },
  check,
);

/** The check alone; `depth` counts how deep the record is nested in itself. */
export function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    switch (key.length) {
      default:
        if (key === "id" || key === "style" || key === "description") {
          if (!(typeof member === "string")) return false;
          required++;
        } else if (key === "pvp" || key === "glickoRatings") {
          if (!(typeof member === "boolean")) return false;
          required++;
        } else if (
          key === "url" ||
          key === "realm" ||
          key === "endAt" ||
          key === "startAt" ||
          key === "registerAt"
        ) {
          if (!(typeof member === "string")) return false;
        } else if (key === "complete" || key === "upcoming" || key === "inProgress") {
          if (!(typeof member === "boolean")) return false;
        }
    }
  }
  return required === 5;
}
