/**
 * StashResult.
 *
 * Generated from the schema of `StashResult` by `pnpm generate`. Not to be edited.
 */
import { makeRecord, type PlainRecord, type Shape } from "@game-data/schemas/PlainRecord";
import { StashTab } from "@game-data/schemas/StashTab";

/** StashResult. */
export interface StashResult {
  readonly stash: StashTab | null;
}

const shape: Shape = { stash: ["|", "n", ["@", StashTab]] };

/** StashResult. */
export const StashResult: PlainRecord<StashResult> = /*#__PURE__*/ makeRecord(
  "StashResult",
  shape,
  check,
);

function check(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
    if (key === "stash") {
      if (!(StashTab.is(member) || member === null)) return false;
      required++;
    }
  }
  return required === 1;
}
