/** The realms that the world lives in, in the specification's neutral words (§1). */

export type Realm = "pc" | "console_a" | "console_b" | "game2";

/** A realm of game 1: the only ones with stashes, ladders and matches. */
export type GameOneRealm = Exclude<Realm, "game2">;

export const REALMS: ReadonlyArray<Realm> = ["pc", "console_a", "console_b", "game2"];
