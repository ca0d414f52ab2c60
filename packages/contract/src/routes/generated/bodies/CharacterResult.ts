/**
 * CharacterResult.
 *
 * Generated from the schema of `CharacterResult` by `pnpm generate`. Not to be edited.
 */
import { makeRecord, type PlainRecord, type Shape } from "@game-data/schemas/PlainRecord";
import { Character } from "@game-data/schemas/Character";

/** CharacterResult. */
export interface CharacterResult {
  readonly character: Character | null;
}

const shape: Shape = { character: ["|", "n", ["@", Character]] };

/** CharacterResult. */
export const CharacterResult: PlainRecord<CharacterResult> = /*#__PURE__*/ makeRecord(
  "CharacterResult",
  shape,
  check,
);

function check(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
    if (key === "character") {
      if (!(Character.is(member) || member === null)) return false;
      required++;
    }
  }
  return required === 1;
}
