/**
 * Effect Schemas of the bodies of the data API.
 *
 * The bodies without Effect are in `@game-data/contract/results`.
 *
 * @example
 * ```ts
 * import { LeagueList } from "@game-data/contract/effect";
 * import { Schema } from "effect";
 *
 * const list = Schema.decodeUnknownSync(LeagueList)({ leagues: [{ id: "Standard" }] });
 * if (list.leagues.length !== 1) throw new Error("no league");
 * ```
 */
export * from "./bodies.ts";
