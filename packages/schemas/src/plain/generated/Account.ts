/**
 * An account as ladders show it.
 *
 * Generated from the schema of `Account` by `pnpm generate`. Not to be edited.
 *
 * @example
 * ```ts
 * import { Account } from "@game-data/schemas";
 *
 * const result = Account.safeDecode(null);
 * if (result.ok) throw new Error("null is no Account");
 * ```
 */
import { makeRecord, type PlainRecord } from "../PlainRecord.ts";
import { isObject, isUint } from "../tests.ts";
import type { RealmWord } from "../Realm.ts";
import { check as checkGuild, Guild } from "./Guild.ts";

/** An account as ladders show it. */
export interface Account {
  readonly name: string;
  /** `pc`, `console_a`, or `console_b`. */
  readonly realm?: RealmWord | null;
  readonly guild?: Guild | null;
  readonly challenges?: {
    /** Challenge set. */
    readonly set: string;
    readonly completed: number;
    readonly max: number;
  } | null;
  readonly livestream?: {
    readonly name: string;
    readonly stream?: {
      readonly name: string;
      readonly image: string;
      readonly status: string;
    } | null;
  } | null;
}

/** An account as ladders show it. */
export const Account: PlainRecord<Account> = /*#__PURE__*/ makeRecord(
  "Account",
  {
    name: "s",
    "realm?": "sn",
    "guild?": ["|", "n", ["@", Guild]],
    "challenges?": ["|", "n", { set: "s", completed: "u", max: "u" }],
    "livestream?": [
      "|",
      "n",
      { name: "s", "stream?": ["|", "n", { name: "s", image: "s", status: "s" }] },
    ],
  },
  check,
);

function part1(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "set") {
      if (!(typeof member === "string")) return false;
      required++;
    } else if (key === "completed" || key === "max") {
      if (!isUint(member)) return false;
      required++;
    }
  }
  return required === 3;
}

function part3(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "name" || key === "image" || key === "status") {
      if (!(typeof member === "string")) return false;
      required++;
    }
  }
  return required === 3;
}

function part2(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (key === "name") {
      if (!(typeof member === "string")) return false;
      required++;
    } else if (key === "stream") {
      if (!part3(member)) return false;
    }
  }
  return required === 1;
}

/** The check alone; `depth` counts how deep the record is nested in itself. */
export function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (key === "name") {
      if (!(typeof member === "string")) return false;
      required++;
    } else if (key === "realm") {
      if (!(typeof member === "string")) return false;
    } else if (key === "guild") {
      if (!checkGuild(member)) return false;
    } else if (key === "challenges") {
      if (!part1(member)) return false;
    } else if (key === "livestream") {
      if (!part2(member)) return false;
    }
  }
  return required === 1;
}
