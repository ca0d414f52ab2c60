/** Unique items by the piece that they are: each has one base, one name and its own line. */
import { MATERIALS } from "./data/materials.ts";
import { UNIQUES, type UniqueRow } from "./data/uniques.ts";
import type { ItemClass } from "./itemBases.ts";
import { statLine } from "./Lexicon.ts";
import type { Prng } from "./Prng.ts";

/** A unique item before it is placed. */
interface UniqueItem {
  readonly name: string;
  readonly base: { readonly name: string; readonly level: number };
  readonly lines: ReadonlyArray<string>;
  readonly worth: number;
}

const LEVELS: ReadonlyMap<string, number> = new Map(MATERIALS);
const BY_PIECE: ReadonlyMap<string, ReadonlyArray<UniqueRow>> = Map.groupBy(
  UNIQUES,
  ([, piece]) => piece,
);

/** A unique item of a class that can be found at level `ilvl`. */
export const uniqueItem = (draw: Prng, { piece }: ItemClass, ilvl: number): UniqueItem => {
  const rows = BY_PIECE.get(piece) ?? [];
  let last = rows.length - 1;
  while (last > 0 && LEVELS.get(rows[last]![2])! > ilvl) last--;
  const [name, , material, worth, rolls, own] = rows[draw.int(0, last)]!;
  return {
    name,
    base: { name: `${material} ${piece}`, level: LEVELS.get(material)! },
    lines: [...rolls.map(([text, low, high]) => statLine(draw, text, low, high)), own],
    worth,
  };
};
