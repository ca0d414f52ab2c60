/**
 * StashResult.
 *
 * Generated from the schema of `StashResult` by `pnpm generate`. Not to be edited.
 */
import { makeRecord, type PlainRecord, isObject } from "@game-data/schemas/PlainRecord";
import { StashTab } from "@game-data/schemas/StashTab";

/** StashResult. */
export interface StashResult {
  readonly stash: StashTab | null;
}

/** StashResult. */
export const StashResult: PlainRecord<StashResult> = /*#__PURE__*/ makeRecord(
  "StashResult",
  { stash: ["|", "n", ["@", StashTab]] },
  check,
);

function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "stash") {
      if (!(member === null || StashTab.is(member))) return false;
      required++;
    }
  }
  return required === 1;
}
