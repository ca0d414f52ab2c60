import { cases, type PlainRecord, record } from "../record.ts";
import { ListedStash } from "./ListedStash.ts";
import { UnlistedStash } from "./UnlistedStash.ts";

export { ListedStash } from "./ListedStash.ts";
export { UnlistedStash } from "./UnlistedStash.ts";

/** A change of the public stash stream: a listed stash, or a stash that is no longer listed. */
export type PublicStashChange = ListedStash | UnlistedStash;
export const PublicStashChange: PlainRecord<PublicStashChange> = record(
  "PublicStashChange",
  cases("public", ListedStash, UnlistedStash),
);
