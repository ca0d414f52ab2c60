/** The realms of the specification. `Words` of the contract package translates other names. */
import { literal, type Read, words } from "../record.ts";

/** A realm in a request, which must be one of the four. */
export const realm = literal("pc", "console_a", "console_b", "game2");
/** A realm in a request: `pc`, `console_a`, `console_b` or `game2`. */
export type Realm = Read<typeof realm>;

/** The realms in the order of the specification. */
export const realms: ReadonlyArray<Realm> = ["pc", "console_a", "console_b", "game2"];

/** A realm in a response. Realms of game 1 are documented, and any string is accepted. */
export const realmWord = words("pc console_a console_b");
/** A realm in a response. Editors complete the documented realms, but any string is accepted. */
export type RealmWord = Read<typeof realmWord>;
