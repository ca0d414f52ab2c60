/**
 * StashList.
 *
 * Generated from the schema of `StashList` by `pnpm generate`. Not to be edited.
 */
import { makeRecord, type PlainRecord, type Shape, isObject } from "@game-data/schemas/PlainRecord";
import { StashTab } from "@game-data/schemas/StashTab";

/** StashList. */
export interface StashList {
  readonly stashes: ReadonlyArray<StashTab>;
}

const shape: Shape = { stashes: ["[", ["@", StashTab]] };

/** StashList. */
export const StashList: PlainRecord<StashList> = /*#__PURE__*/ makeRecord(
  "StashList",
  shape,
  check,
);

function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "stashes") {
      if (!Array.isArray(member)) return false;
      for (let i0 = 0; i0 < member.length; i0++) {
        const element0: unknown = member[i0];
        if (!StashTab.is(element0)) return false;
      }
      required++;
    }
  }
  return required === 1;
}
