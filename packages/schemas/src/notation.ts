/**
 * The notation in which the records are written: the terms of the specification, as data.
 *
 * A table is an object of members. The type of a member is one of these:
 *
 * - a text: a leaf (`"uint"`, `"date-time"`), a list of leaves (`"string[]"`), or `"this"` for the
 *   record itself, each optional with a `?` in front (`"?uint"`, `"?this[]"`);
 * - a list `[type]`, a structure `{ … }`, or another record;
 * - the result of a function of this module, such as `optional`, `dictionary` or `words`.
 *
 * Optional means absent or null. Editors show the comment on a member, and the build copies it into
 * the JSON Schema.
 *
 * @example
 * ```ts
 * import { League } from "@game-data/schemas";
 * import { optional, record } from "@game-data/schemas/notation";
 *
 * const Season = record("Season", { league: League, winners: ["string"], endedAt: "?date-time" });
 * const season = Season.decode({ league: { id: "Standard" }, winners: [] });
 * console.log(season.league.id, season.endedAt); // Standard undefined
 *
 * const Archive = record("Archive", { newest: optional(Season), seasons: [Season] });
 * console.log(Archive.is({ seasons: [{}] })); // false
 * ```
 */
import type { PlainRecord } from "./PlainRecord.ts";
import * as Record from "./record.ts";
import { requireNotation } from "./source.ts";
import type { Notation, Read } from "./terms.ts";

export type { Game, Leaves, PlainRecord } from "./PlainRecord.ts";
export * from "./terms.ts";

/** Makes a record from a table. Throws `TypeError` if the table has a type outside the notation. */
export const record = <const N extends Notation, T = Read<N>>(
  name: string,
  table: N,
): PlainRecord<T> => Record.record(name, requireNotation(table, name));
