import { literal, type Members, optional, type PlainRecord, record } from "../record.ts";
import { Item } from "./Item.ts";
import { stashMembers } from "./ListedStash.ts";

const unlistedStash = {
  ...stashMembers,
  public: literal(false),
  stashType: "?string",
  items: optional([Item]),
} as const;
/** A stash that is no longer listed. Only `id` and `public` are always present. */
export interface UnlistedStash extends Members<typeof unlistedStash> {}
export const UnlistedStash: PlainRecord<UnlistedStash> = record("UnlistedStash", unlistedStash);
