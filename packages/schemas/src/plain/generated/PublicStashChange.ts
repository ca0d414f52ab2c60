/**
 * A change of a public stash.
 *
 * Generated from the schema of `PublicStashChange` by `pnpm generate`. Not to be edited.
 *
 * @example
 * ```ts
 * import { PublicStashChange } from "@game-data/schemas";
 *
 * const result = PublicStashChange.safeDecode(null);
 * if (result.ok) throw new Error("null is no PublicStashChange");
 * ```
 */
import { makeRecord, type PlainRecord } from "../PlainRecord.ts";
import { check as checkListedStash, ListedStash } from "./ListedStash.ts";
import { check as checkUnlistedStash, UnlistedStash } from "./UnlistedStash.ts";

/** A change of a public stash. */
export type PublicStashChange = ListedStash | UnlistedStash;

/** A change of a public stash. */
export const PublicStashChange: PlainRecord<PublicStashChange> = /*#__PURE__*/ makeRecord(
  "PublicStashChange",
  ["?", "public", ["=", true, false], { true: ["@", ListedStash], false: ["@", UnlistedStash] }],
  check,
);

/** The check alone; `depth` counts how deep the record is nested in itself. */
export function check(value: unknown): boolean {
  return checkListedStash(value) || checkUnlistedStash(value);
}
