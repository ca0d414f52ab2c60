/** The JSON bodies of the data API as plain records, and the body of each operation. */
import * as records from "./bodies.ts";

export * from "./bodies.ts";
export type { Results } from "./requests.ts";

/** The records of all bodies, by their names in the table of operations. */
export const bodies = records;
