import { literal, type Members, type PlainRecord, record } from "../record.ts";
import { Item } from "./Item.ts";

/** The members of listed and unlisted stashes. */
export const stashMembers = {
  /** Unique 64-digit hexadecimal string. */
  id: "hex-64",
  accountName: "?string",
  /** Stash name. */
  stash: "?string",
  /** League name. */
  league: "?string",
} as const;
const listedStash = {
  ...stashMembers,
  public: literal(true),
  stashType: "string",
  items: [Item],
} as const;
/** A listed stash: all of its items, in place of those known before. */
export interface ListedStash extends Members<typeof listedStash> {}
export const ListedStash: PlainRecord<ListedStash> = record("ListedStash", listedStash);
