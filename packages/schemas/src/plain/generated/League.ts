/**
 * A league.
 *
 * Generated from the schema of `League` by `pnpm generate`. Not to be edited.
 *
 * @example
 * ```ts
 * import { League } from "@game-data/schemas";
 *
 * const result = League.safeDecode(null);
 * if (result.ok) throw new Error("null is no League");
 * ```
 */
import { makeRecord, type PlainRecord } from "../PlainRecord.ts";
import { isEach, isObject } from "../tests.ts";
import type { RealmWord } from "../Realm.ts";
import { check as checkLeagueRule, LeagueRule } from "./LeagueRule.ts";

/** A league. */
export interface League {
  readonly id: string;
  /** `pc`, `console_a`, or `console_b`. */
  readonly realm?: RealmWord | null;
  readonly name?: string | null;
  readonly description?: string | null;
  readonly category?: {
    /** League category. */
    readonly id?: string | null;
    /** Set for active challenge leagues; always true if present. */
    readonly current?: boolean | null;
  } | null;
  readonly rules?: ReadonlyArray<LeagueRule> | null;
  /** Date-time. */
  readonly registerAt?: string | null;
  /** Always true if present. */
  readonly event?: boolean | null;
  readonly goal?: string | null;
  /** Link to a forum thread. */
  readonly url?: string | null;
  /** Date-time. */
  readonly startAt?: string | null;
  /** Date-time. */
  readonly endAt?: string | null;
  /** Always true if present. */
  readonly timedEvent?: boolean | null;
  /** Always true if present. */
  readonly scoreEvent?: boolean | null;
  /** Always true if present. */
  readonly delveEvent?: boolean | null;
  /** Always true if present. */
  readonly ancestorEvent?: boolean | null;
  /** Always true if present. */
  readonly leagueEvent?: boolean | null;
}

/** A league. */
export const League: PlainRecord<League> = /*#__PURE__*/ makeRecord(
  "League",
  {
    id: "s",
    "realm?": "sn",
    "name?": "sn",
    "description?": "sn",
    "category?": ["|", "n", { "id?": "sn", "current?": "bn" }],
    "rules?": ["|", "n", ["[", ["@", LeagueRule]]],
    "registerAt?": "sn",
    "event?": "bn",
    "goal?": "sn",
    "url?": "sn",
    "startAt?": "sn",
    "endAt?": "sn",
    "timedEvent?": "bn",
    "scoreEvent?": "bn",
    "delveEvent?": "bn",
    "ancestorEvent?": "bn",
    "leagueEvent?": "bn",
  },
  check,
);

function part1(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (key === "id") {
      if (!(typeof member === "string")) return false;
    } else if (key === "current") {
      if (!(typeof member === "boolean")) return false;
    }
  }
  return true;
}

/** The check alone; `depth` counts how deep the record is nested in itself. */
export function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    switch (key.length) {
      default:
        if (key === "id") {
          if (!(typeof member === "string")) return false;
          required++;
        } else if (
          key === "url" ||
          key === "name" ||
          key === "goal" ||
          key === "realm" ||
          key === "endAt" ||
          key === "startAt" ||
          key === "registerAt" ||
          key === "description"
        ) {
          if (!(typeof member === "string")) return false;
        } else if (key === "rules") {
          if (!isEach(member, checkLeagueRule)) return false;
        } else if (
          key === "event" ||
          key === "timedEvent" ||
          key === "scoreEvent" ||
          key === "delveEvent" ||
          key === "leagueEvent" ||
          key === "ancestorEvent"
        ) {
          if (!(typeof member === "boolean")) return false;
        } else if (key === "category") {
          if (!part1(member)) return false;
        }
    }
  }
  return required === 1;
}
