/**
 * The interface as an OpenAPI 3.1 document, generated from `GameDataApi`.
 *
 * The same document as `OpenApi.fromApi(GameDataApi)` and as whatever a server of this API
 * publishes. It is for tools of others; code in TypeScript is better served by the contract itself.
 */
import * as OpenApi from "effect/http-api/OpenApi";
import { GameDataApi } from "./GameDataApi.ts";

/** The OpenAPI 3.1 document of the whole interface. Each call returns a copy. */
export const openApiDocument = (): OpenApi.OpenAPISpec => OpenApi.fromApi(GameDataApi);
