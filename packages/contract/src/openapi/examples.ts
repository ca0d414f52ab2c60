/** Responses of the sandbox to each operation, to be shown in the OpenAPI document. */
export { examples } from "./generated/examples.ts";
