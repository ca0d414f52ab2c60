/**
 * A page of the public stash stream.
 *
 * Generated from the schema of `PublicStashPage` by `pnpm generate`. Not to be edited.
 *
 * @example
 * ```ts
 * import { PublicStashPage } from "@game-data/schemas";
 *
 * const result = PublicStashPage.safeDecode(null);
 * if (result.ok) throw new Error("null is no PublicStashPage");
 * ```
 */
import { makeRecord, type PlainRecord } from "../PlainRecord.ts";
import { isEach, isObject } from "../tests.ts";
import { check as checkPublicStashChange, PublicStashChange } from "./PublicStashChange.ts";

/** A page of the public stash stream. */
export interface PublicStashPage {
  /** Opaque; ask for the next page with it. */
  readonly next_change_id: string;
  readonly stashes: ReadonlyArray<PublicStashChange>;
}

/** A page of the public stash stream. */
export const PublicStashPage: PlainRecord<PublicStashPage> = /*#__PURE__*/ makeRecord(
  "PublicStashPage",
  { next_change_id: "s", stashes: ["[", ["@", PublicStashChange]] },
  check,
);

/** The check alone; `depth` counts how deep the record is nested in itself. */
export function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "next_change_id") {
      if (!(typeof member === "string")) return false;
      required++;
    } else if (key === "stashes") {
      if (!isEach(member, checkPublicStashChange)) return false;
      required++;
    }
  }
  return required === 2;
}
