/**
 * The realms of a deployment. Inside the packages the specification's neutral words are used; a
 * deployment that spells them otherwise is translated at the edge (`Words` of the contract
 * package).
 */
import * as Schema from "effect/Schema";
import { word, type Wire } from "./internal/wire.ts";

/** `pc`, `console_a`, `console_b` and `game2`: exactly these, for what we send ourselves. */
export const Realm: Schema.Codec<Realm> = /*#__PURE__*/ Schema.Literals([
  "pc",
  "console_a",
  "console_b",
  "game2",
]);
/** One of the four realms. */
export type Realm = "pc" | "console_a" | "console_b" | "game2";

/** The realms in the order of the specification. */
export const realms: ReadonlyArray<Realm> = ["pc", "console_a", "console_b", "game2"];

/**
 * A realm in an answer: the words of game 1 are documented, a deployment may send any other word.
 */
export const RealmWord: Wire<RealmWord> = /*#__PURE__*/ word(["pc", "console_a", "console_b"]);
/** A realm in an answer: known words autocomplete, any string passes. */
export type RealmWord = "pc" | "console_a" | "console_b" | (string & {});
