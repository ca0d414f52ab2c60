/**
 * A socket of an item (§2, ItemSocket). Game 1 has `attr` and `sColour`, game 2 has `type` and
 * `item`.
 */
import type * as Schema from "effect/Schema";
import { check } from "./internal/generated/ItemSocket.ts";
import { maybe, record, uint, word, type RecordSchema } from "./internal/wire.ts";

const fields = {
  group: uint,
  attr: /*#__PURE__*/ maybe(
    /*#__PURE__*/ word(["S", "D", "I", "G", "A", "DV"]),
    "game 1 only; `S`, `D`, `I`, `G`, `A`, `DV`",
  ),
  sColour: /*#__PURE__*/ maybe(
    /*#__PURE__*/ word(["R", "G", "B", "W", "A", "DV"]),
    "game 1 only; `R`, `G`, `B`, `W`, `A`, `DV`",
  ),
  type: /*#__PURE__*/ maybe(
    /*#__PURE__*/ word(["gem", "jewel", "rune"]),
    "game 2 only; `gem`, `jewel`, `rune`",
  ),
  item: /*#__PURE__*/ maybe(
    /*#__PURE__*/ word([
      "emerald",
      "sapphire",
      "ruby",
      "rune",
      "soulcore",
      "primaltalisman",
      "vividtalisman",
      "wildtalisman",
      "sacredtalisman",
      "activegem",
      "supportgem",
    ]),
    "game 2 only; what fits: a jewel, a rune, a talisman or a gem",
  ),
};

/** A socket of an item. */
export interface ItemSocket extends Schema.Struct.Type<typeof fields> {}
/** A socket of an item. */
export const ItemSocket: RecordSchema<ItemSocket, typeof fields> =
  /*#__PURE__*/ record<ItemSocket>()("ItemSocket", "A socket of an item", fields, check);
