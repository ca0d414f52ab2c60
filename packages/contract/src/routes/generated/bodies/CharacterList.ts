/**
 * CharacterList.
 *
 * Generated from the schema of `CharacterList` by `pnpm generate`. Not to be edited.
 */
import { makeRecord, type PlainRecord, type Shape, isObject } from "@game-data/schemas/PlainRecord";
import { Character } from "@game-data/schemas/Character";

/** CharacterList. */
export interface CharacterList {
  readonly characters: ReadonlyArray<Character>;
}

const shape: Shape = { characters: ["[", ["@", Character]] };

/** CharacterList. */
export const CharacterList: PlainRecord<CharacterList> = /*#__PURE__*/ makeRecord(
  "CharacterList",
  shape,
  check,
);

function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "characters") {
      if (!Array.isArray(member)) return false;
      for (let i0 = 0; i0 < member.length; i0++) {
        const element0: unknown = member[i0];
        if (!Character.is(element0)) return false;
      }
      required++;
    }
  }
  return required === 1;
}
