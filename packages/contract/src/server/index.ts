/**
 * The whole interface as one Effect `HttpApi`, for servers and documents: endpoints with their
 * schemas, security, errors, and the OpenAPI document.
 *
 * Clients take `@game-data/contract/routes`, which is generated from it.
 *
 * @example
 * ```ts
 * import { openApiDocument } from "@game-data/contract/server";
 *
 * const { paths } = openApiDocument();
 * if (paths["/profile"]?.get === undefined) throw new Error("no profile");
 * ```
 */
export * from "./Endpoints.ts";
export * from "./Errors.ts";
export * from "./GameDataApi.ts";
export * from "./groups.ts";
export * from "./oauthGroup.ts";
export * from "./openApiDocument.ts";
export * from "./Security.ts";
