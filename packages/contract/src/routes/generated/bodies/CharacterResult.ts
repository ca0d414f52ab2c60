/**
 * CharacterResult.
 *
 * Generated from the schema of `CharacterResult` by `pnpm generate`. Not to be edited.
 */
import { makeRecord, type PlainRecord, isObject } from "@game-data/schemas/PlainRecord";
import { Character } from "@game-data/schemas/Character";

/** CharacterResult. */
export interface CharacterResult {
  readonly character: Character | null;
}

/** CharacterResult. */
export const CharacterResult: PlainRecord<CharacterResult> = /*#__PURE__*/ makeRecord(
  "CharacterResult",
  { character: ["|", "n", ["@", Character]] },
  check,
);

function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (key === "character") {
      if (!(member === null || Character.is(member))) return false;
      required++;
    }
  }
  return required === 1;
}
