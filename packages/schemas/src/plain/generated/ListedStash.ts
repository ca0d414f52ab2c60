/**
 * A listed stash, with all of its items.
 *
 * Generated from the schema of `ListedStash` by `pnpm generate`. Not to be edited.
 *
 * @example
 * ```ts
 * import { ListedStash } from "@game-data/schemas";
 *
 * const result = ListedStash.safeDecode(null);
 * if (result.ok) throw new Error("null is no ListedStash");
 * ```
 */
import { makeRecord, type PlainRecord } from "../PlainRecord.ts";
import { isEach, isObject } from "../tests.ts";
import { check as checkItem, Item } from "./Item.ts";

/** A listed stash, with all of its items. */
export interface ListedStash {
  /** Unique 64-digit hexadecimal string. */
  readonly id: string;
  readonly accountName?: string | null;
  /** Stash name. */
  readonly stash?: string | null;
  /** League name. */
  readonly league?: string | null;
  readonly public: true;
  readonly stashType: string;
  readonly items: ReadonlyArray<Item>;
}

/** A listed stash, with all of its items. */
export const ListedStash: PlainRecord<ListedStash> = /*#__PURE__*/ makeRecord(
  "ListedStash",
  {
    id: "s",
    "accountName?": "sn",
    "stash?": "sn",
    "league?": "sn",
    public: ["=", true],
    stashType: "s",
    items: ["[", ["@", Item]],
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
    if (key === "id" || key === "stashType") {
      if (!(typeof member === "string")) return false;
      required++;
    } else if (key === "public") {
      if (!(member === true)) return false;
      required++;
    } else if (key === "items") {
      if (!isEach(member, checkItem, 0)) return false;
      required++;
    } else if (key === "accountName" || key === "stash" || key === "league") {
      if (!(typeof member === "string")) return false;
    }
  }
  return required === 4;
}
