/** The JSON bodies of the data API as plain records, and the body of each operation. */
export * from "./bodies.ts";
/** The bodies by their names in the table of operations. */
export * as bodies from "./bodies.ts";
export type { Results } from "./requests.ts";
