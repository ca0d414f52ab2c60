/** Pages through the API client. Its optional peer dependency is `@game-data/api-client`. */
export * as GameApiSource from "./GameApiSource.ts";
