import { type Members, optional, type PlainRecord, record, words } from "../record.ts";

const itemSocket = {
  group: "uint",
  /** Game 1 only. */
  attr: optional(words("S D I G A DV")),
  /** Game 1 only. */
  sColour: optional(words("R G B W A DV")),
  /** Game 2 only. */
  type: optional(words("gem jewel rune")),
  /** Game 2 only. */
  item: optional(
    words(
      "emerald sapphire ruby rune soulcore primaltalisman vividtalisman wildtalisman",
      "sacredtalisman activegem supportgem",
    ),
  ),
} as const;
/** A socket of an item. Game 1 has `attr` and `sColour`, game 2 has `type` and `item`. */
export interface ItemSocket extends Members<typeof itemSocket> {}
export const ItemSocket: PlainRecord<ItemSocket> = record("ItemSocket", itemSocket);
