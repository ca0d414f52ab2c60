/**
 * The JSON bodies of the data API as plain records, and the body of each operation.
 *
 * @example
 * ```ts
 * import { bodies, LeagueList } from "@game-data/contract/results";
 *
 * const list = LeagueList.decode({ leagues: [{ id: "Standard" }] });
 * if (list.leagues.length !== 1 || !bodies.LeagueList.is(list)) throw new Error("no league");
 * ```
 */
export * from "./bodies.ts";
export type { Results } from "./requests.ts";
export type { BodyName } from "./Route.ts";
