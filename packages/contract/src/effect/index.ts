/**
 * Effect Schemas of the bodies and queries of the data API and of the OAuth server.
 *
 * The bodies without Effect are in `@game-data/contract/results`.
 *
 * @example
 * ```ts
 * import { AuthorizeQuery } from "@game-data/contract/effect";
 * import { Schema } from "effect";
 *
 * if (Schema.is(AuthorizeQuery)({ response_type: "token" })) {
 *   throw new Error("only codes are granted");
 * }
 * ```
 */
export * from "./bodySchemas.ts";
export * from "./ErrorBody.ts";
export * from "./OAuth.ts";
export * from "./Requests.ts";
export * from "./Responses.ts";
