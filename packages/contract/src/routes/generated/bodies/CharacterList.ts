/**
 * CharacterList.
 *
 * Generated from the schema of `CharacterList` by `pnpm generate`. Not to be edited.
 */
import { makeRecord, type PlainRecord, isEach, isObject } from "@game-data/schemas/PlainRecord";
import { Character } from "@game-data/schemas/Character";

/** CharacterList. */
export interface CharacterList {
  readonly characters: ReadonlyArray<Character>;
}

/** CharacterList. */
export const CharacterList: PlainRecord<CharacterList> = /*#__PURE__*/ makeRecord(
  "CharacterList",
  { characters: ["[", ["@", Character]] },
  check,
);

function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "characters") {
      if (!isEach(member, Character.is)) return false;
      required++;
    }
  }
  return required === 1;
}
