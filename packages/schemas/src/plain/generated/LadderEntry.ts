/**
 * A rank of a league's ladder.
 *
 * Generated from the schema of `LadderEntry` by `pnpm generate`. Not to be edited.
 *
 * @example
 * ```ts
 * import { LadderEntry } from "@game-data/schemas";
 *
 * const result = LadderEntry.safeDecode(null);
 * if (result.ok) throw new Error("null is no LadderEntry");
 * ```
 */
import { makeRecord, type PlainRecord } from "../PlainRecord.ts";
import { isObject, isUint } from "../tests.ts";
import { check as checkAccount, Account } from "./Account.ts";

/** A rank of a league's ladder. */
export interface LadderEntry {
  readonly rank: number;
  readonly dead?: boolean | null;
  readonly retired?: boolean | null;
  readonly ineligible?: boolean | null;
  readonly public?: boolean | null;
  readonly character: {
    /** Unique 64-digit hexadecimal string. */
    readonly id: string;
    readonly name: string;
    readonly level: number;
    readonly class: string;
    /** Seconds taken to complete the league objective. */
    readonly time?: number | null;
    /** Count of objective completions. */
    readonly score?: number | null;
    /** Contents depend on the league objective. */
    readonly progress?:
      | { readonly [key: string]: unknown }
      | Readonly<Record<string, never>>
      | null;
    readonly experience?: number | null;
    /** Deepest Delve depth completed. */
    readonly depth?: { readonly default?: number | null; readonly solo?: number | null } | null;
  };
  readonly account?: Account | null;
}

/** A rank of a league's ladder. */
export const LadderEntry: PlainRecord<LadderEntry> = /*#__PURE__*/ makeRecord(
  "LadderEntry",
  {
    rank: "u",
    "dead?": "bn",
    "retired?": "bn",
    "ineligible?": "bn",
    "public?": "bn",
    character: {
      id: "s",
      name: "s",
      level: "u",
      class: "s",
      "time?": "un",
      "score?": "un",
      "progress?": ["|", "n", ["{", "a"], ["(", true]],
      "experience?": "un",
      "depth?": ["|", "n", { "default?": "un", "solo?": "un" }],
    },
    "account?": ["|", "n", ["@", Account]],
  },
  check,
);

function part2(value: unknown): boolean {
  if (!isObject(value)) return false;
  return true;
}

function part3(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function part4(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (key === "default" || key === "solo") {
      if (!isUint(member)) return false;
    }
  }
  return true;
}

function part1(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (key === "id" || key === "name" || key === "class") {
      if (!(typeof member === "string")) return false;
      required++;
    } else if (key === "level") {
      if (!isUint(member)) return false;
      required++;
    } else if (key === "time" || key === "score" || key === "experience") {
      if (!isUint(member)) return false;
    } else if (key === "progress") {
      if (!(part2(member) || part3(member))) return false;
    } else if (key === "depth") {
      if (!part4(member)) return false;
    }
  }
  return required === 4;
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
    } else if (key === "character") {
      if (!part1(member)) return false;
      required++;
    } else if (key === "dead" || key === "retired" || key === "ineligible" || key === "public") {
      if (!(typeof member === "boolean")) return false;
    } else if (key === "account") {
      if (!checkAccount(member)) return false;
    }
  }
  return required === 2;
}
