/**
 * The realms of the specification.
 *
 * Inside the packages the specification's neutral words are used. A deployment that spells them
 * otherwise is translated at the edge (`Words` of the contract package).
 *
 * @example
 * ```ts
 * import { realms } from "@game-data/schemas/Realm";
 *
 * if (!realms.includes("game2")) throw new Error("game 2 is a realm");
 * ```
 */

/** One of the four realms. */
export type Realm = "pc" | "console_a" | "console_b" | "game2";

/** The realms in the order of the specification. */
export const realms: ReadonlyArray<Realm> = ["pc", "console_a", "console_b", "game2"];

/** A realm in a response: known words autocomplete, any string passes. */
export type RealmWord = "pc" | "console_a" | "console_b" | (string & {});
