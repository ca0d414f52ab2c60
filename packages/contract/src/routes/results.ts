/** The JSON bodies of the data API as plain records, and the body of each operation. */
export * from "./bodies.ts";
export type { Results } from "./requests.ts";
