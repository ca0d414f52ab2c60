/** The realms of the specification as schemas. */
import * as Schema from "effect/Schema";
import { openEnum, type Wire } from "../internal/wire.ts";
import type * as Plain from "../plain/Realm.ts";

/** One of the four realms. */
export type Realm = Plain.Realm;
/** `pc`, `console_a`, `console_b` and `game2`: exactly these, for what we send ourselves. */
export const Realm: Schema.Codec<Realm> = /*#__PURE__*/ Schema.Literals([
  "pc",
  "console_a",
  "console_b",
  "game2",
]);

/** A realm in a response: known words autocomplete, any string passes. */
export type RealmWord = Plain.RealmWord;
/**
 * A realm in a response: the realms of game 1 are documented, a deployment may send other words.
 */
export const RealmWord: Wire<RealmWord> = /*#__PURE__*/ openEnum(["pc", "console_a", "console_b"]);
