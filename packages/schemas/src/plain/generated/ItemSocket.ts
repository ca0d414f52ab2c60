/**
 * A socket of an item.
 *
 * Generated from the schema of `ItemSocket` by `pnpm generate`. Not to be edited.
 *
 * @example
 * ```ts
 * import { ItemSocket } from "@game-data/schemas";
 *
 * const result = ItemSocket.safeDecode(null);
 * if (result.ok) throw new Error("null is no ItemSocket");
 * ```
 */
import { makeRecord, type PlainRecord } from "../PlainRecord.ts";
import { isObject, isUint } from "../tests.ts";

/** A socket of an item. */
export interface ItemSocket {
  readonly group: number;
  /** Game 1 only; `S`, `D`, `I`, `G`, `A`, `DV`. */
  readonly attr?: "S" | "D" | "I" | "G" | "A" | "DV" | (string & {}) | null;
  /** Game 1 only; `R`, `G`, `B`, `W`, `A`, `DV`. */
  readonly sColour?: "R" | "G" | "B" | "W" | "A" | "DV" | (string & {}) | null;
  /** Game 2 only; `gem`, `jewel`, `rune`. */
  readonly type?: "gem" | "jewel" | "rune" | (string & {}) | null;
  /** Game 2 only; what fits: a jewel, a rune, a talisman or a gem. */
  readonly item?:
    | "emerald"
    | "sapphire"
    | "ruby"
    | "rune"
    | "soulcore"
    | "primaltalisman"
    | "vividtalisman"
    | "wildtalisman"
    | "sacredtalisman"
    | "activegem"
    | "supportgem"
    | (string & {})
    | null;
}

/** A socket of an item. */
export const ItemSocket: PlainRecord<ItemSocket> = /*#__PURE__*/ makeRecord(
  "ItemSocket",
  { group: "u", "attr?": "sn", "sColour?": "sn", "type?": "sn", "item?": "sn" },
  check,
);

/** The check alone; `depth` counts how deep the record is nested in itself. */
export function check(value: unknown): boolean {
  if (!isObject(value)) return false;
  let required = 0;
  for (const key in value) {
    const member = value[key];
    if (member === null) continue;
    if (key === "group") {
      if (!isUint(member)) return false;
      required++;
    } else if (key === "attr" || key === "sColour" || key === "type" || key === "item") {
      if (!(typeof member === "string")) return false;
    }
  }
  return required === 1;
}
