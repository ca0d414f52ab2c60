/** The lines that a piece of gear rolls: by its kind, by side, and by the tiers of its level. */
import { PREFIX_LINES, type StatRow, SUFFIX_LINES, TIER_LEVELS } from "./data/modifiers.ts";
import type { ItemClass } from "./itemBases.ts";
import { statLine } from "./Lexicon.ts";
import type { Prng } from "./Prng.ts";

/** Lines of one side of an item. */
interface RolledLines {
  readonly lines: ReadonlyArray<string>;
  /** The level that the highest tier needs. */
  readonly level: number;
  /** Worth that the lines add, in thousandths of an ember shard. */
  readonly worth: number;
}

type Side = "prefixes" | "suffixes";

const LINES: Readonly<Record<Side, ReadonlyArray<StatRow>>> = {
  prefixes: PREFIX_LINES,
  suffixes: SUFFIX_LINES,
};

const linesOf = (side: Side): Readonly<Record<ItemClass["kind"], ReadonlyArray<StatRow>>> => {
  const of = (letter: string) => LINES[side].filter(([, , , kinds]) => kinds?.includes(letter));
  return { armour: of("a"), weapon: of("w"), trinket: of("t") };
};

const BY_KIND = { prefixes: linesOf("prefixes"), suffixes: linesOf("suffixes") };

/** Rolls `count` lines of one side, none twice, of tiers that an item of level `ilvl` can have. */
export const rollLines = (
  draw: Prng,
  side: Side,
  { kind, ilvl }: { readonly kind: ItemClass["kind"]; readonly ilvl: number },
  count: number,
): RolledLines => {
  let top = TIER_LEVELS.length - 1;
  while (top > 0 && TIER_LEVELS[top]! > ilvl) top--;
  let level = 1;
  let worth = 0;
  const lines = draw.sample(BY_KIND[side][kind], count).map(([text, low, high]) => {
    const tier = draw.int(0, top);
    level = Math.max(level, TIER_LEVELS[tier]!);
    worth += (tier + 1) * (tier + 1) * 25;
    const span = high - low;
    const from = low + Math.floor((span * tier) / TIER_LEVELS.length);
    const to = low + Math.floor((span * (tier + 1)) / TIER_LEVELS.length);
    return statLine(draw, text, from, to);
  });
  return { lines, level, worth };
};
