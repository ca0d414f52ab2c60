import { literal, type Members, type PlainRecord, record } from "../record.ts";
import { Item } from "./Item.ts";

/** Members that listed and unlisted stashes have in common. */
export const stashMembers = {
  /** Unique 64-digit hexadecimal string. */
  id: "hex-64",
  accountName: "?string",
  /** Name of the stash. */
  stash: "?string",
  /** Name of the league. */
  league: "?string",
} as const;
const listedStash = {
  ...stashMembers,
  public: literal(true),
  stashType: "string",
  items: [Item],
} as const;
/** A listed stash. Its items replace the items that were known before. */
export interface ListedStash extends Members<typeof listedStash> {}
export const ListedStash: PlainRecord<ListedStash> = record("ListedStash", listedStash);
