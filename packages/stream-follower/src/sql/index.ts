/**
 * Gives access to the derived part of a store on SQLite or PostgreSQL: current stashes and markets,
 * indexers of your own (`Indexer`), and copies of a SQLite store. `StoreUrl` opens the log.
 */
export * as Backup from "./Backup.ts";
export * as Indexer from "./Indexer.ts";
export { decodeId, decompress } from "./Database.ts";
export { openToRead } from "./Schema.ts";
export * as StashState from "./StashState.ts";
