/** A change of a public stash (§2, PublicStashChange): of a listed one, or of one no longer listed. */
export { ListedStash } from "./generated/ListedStash.ts";
export { PublicStashChange } from "./generated/PublicStashChange.ts";
export { UnlistedStash } from "./generated/UnlistedStash.ts";
