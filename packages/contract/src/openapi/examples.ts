/**
 * Responses of the sandbox to each operation, to be shown in the OpenAPI document.
 *
 * @example
 * ```ts
 * import { examples } from "@game-data/contract/examples";
 *
 * if (examples["leagues.list"]?.["200"] === undefined) throw new Error("no example");
 * ```
 */
export { examples } from "./generated/examples.ts";
