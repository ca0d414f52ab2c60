/**
 * A change of a public stash (§2, PublicStashChange): of a listed one, or of one no longer listed.
 *
 * @example
 * ```ts
 * import { PublicStashChange } from "@game-data/schemas/PublicStashChange";
 *
 * // A stash that is no longer listed is its id and `public: false`.
 * if (!PublicStashChange.is({ id: "a", public: false })) throw new Error("an unlisted stash");
 * ```
 */
export { ListedStash } from "./generated/ListedStash.ts";
export { PublicStashChange } from "./generated/PublicStashChange.ts";
export { UnlistedStash } from "./generated/UnlistedStash.ts";
