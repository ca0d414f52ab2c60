/**
 * A stash that is no longer listed: only `id` and `public` are certain.
 *
 * Generated from the schema of `UnlistedStash` by `pnpm generate`. Not to be edited.
 *
 * @example
 * ```ts
 * import { UnlistedStash } from "@game-data/schemas";
 *
 * const result = UnlistedStash.safeDecode(null);
 * if (result.ok) throw new Error("null is no UnlistedStash");
 * ```
 */
import { makeRecord, type PlainRecord } from "../PlainRecord.ts";
import { isEach, isObject } from "../tests.ts";
import { check as checkItem, Item } from "./Item.ts";

/** A stash that is no longer listed: only `id` and `public` are certain. */
export interface UnlistedStash {
  /** Unique 64-digit hexadecimal string. */
  readonly id: string;
  readonly accountName?: string | null;
  /** Stash name. */
  readonly stash?: string | null;
  /** League name. */
  readonly league?: string | null;
  readonly public: false;
  readonly stashType?: string | null;
  readonly items?: ReadonlyArray<Item> | null;
}

/** A stash that is no longer listed: only `id` and `public` are certain. */
export const UnlistedStash: PlainRecord<UnlistedStash> = /*#__PURE__*/ makeRecord(
  "UnlistedStash",
  {
    id: "s",
    "accountName?": "sn",
    "stash?": "sn",
    "league?": "sn",
    public: ["=", false],
    "stashType?": "sn",
    "items?": ["|", "n", ["[", ["@", Item]]],
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
    if (key === "id") {
      if (!(typeof member === "string")) return false;
      required++;
    } else if (key === "public") {
      if (!(member === false)) return false;
      required++;
    } else if (
      key === "accountName" ||
      key === "stash" ||
      key === "league" ||
      key === "stashType"
    ) {
      if (!(typeof member === "string")) return false;
    } else if (key === "items") {
      if (!isEach(member, checkItem, 0)) return false;
    }
  }
  return required === 2;
}
