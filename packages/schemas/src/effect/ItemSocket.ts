/**
 * A socket of an item (§2, ItemSocket). Game 1 has `attr` and `sColour`, game 2 has `type` and
 * `item`.
 */
import * as Plain from "../plain/generated/ItemSocket.ts";
import * as wire from "../internal/wire.ts";

const fields = {
  group: wire.uint,
  attr: /*#__PURE__*/ wire.nullish(
    /*#__PURE__*/ wire.openEnum(["S", "D", "I", "G", "A", "DV"]),
    "game 1 only; `S`, `D`, `I`, `G`, `A`, `DV`",
  ),
  sColour: /*#__PURE__*/ wire.nullish(
    /*#__PURE__*/ wire.openEnum(["R", "G", "B", "W", "A", "DV"]),
    "game 1 only; `R`, `G`, `B`, `W`, `A`, `DV`",
  ),
  type: /*#__PURE__*/ wire.nullish(
    /*#__PURE__*/ wire.openEnum(["gem", "jewel", "rune"]),
    "game 2 only; `gem`, `jewel`, `rune`",
  ),
  item: /*#__PURE__*/ wire.nullish(
    /*#__PURE__*/ wire.openEnum([
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
export type ItemSocket = Plain.ItemSocket;
export const ItemSocket: wire.RecordSchema<ItemSocket, typeof fields> = /*#__PURE__*/ wire.record(
  Plain.ItemSocket,
  "A socket of an item",
  fields,
);
