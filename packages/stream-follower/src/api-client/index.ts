/** Reads pages through the API client, the optional peer dependency `@game-data/api-client`. */
export * as GameApiSource from "./GameApiSource.ts";
