/**
 * The whole interface as one Effect `HttpApi`, for servers and documents: endpoints with their
 * schemas, security, errors, and the OpenAPI document.
 *
 * Clients take `@game-data/contract/routes`, which is generated from it.
 */
export * from "./Endpoints.ts";
export * from "./Errors.ts";
export * from "./GameDataApi.ts";
export * from "./groups.ts";
export * from "./oauthGroup.ts";
export * from "./openApiDocument.ts";
export * from "./Security.ts";
