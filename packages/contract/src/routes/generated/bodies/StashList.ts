/**
 * StashList.
 *
 * Generated from the schema of `StashList` by `pnpm generate`. Not to be edited.
 */
import { makeRecord, type PlainRecord, isEach, isObject } from "@game-data/schemas/PlainRecord";
import { StashTab } from "@game-data/schemas/StashTab";

/** StashList. */
export interface StashList {
  readonly stashes: ReadonlyArray<StashTab>;
}

/** StashList. */
export const StashList: PlainRecord<StashList> = /*#__PURE__*/ makeRecord(
  "StashList",
  { stashes: ["[", ["@", StashTab]] },
  check,
);

function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "stashes") {
      if (!isEach(member, StashTab.is)) return false;
      required++;
    }
  }
  return required === 1;
}
