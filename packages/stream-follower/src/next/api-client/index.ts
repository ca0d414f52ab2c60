/**
 * Pages through the API client. Its optional peer dependency is `@game-data/api-client`.
 *
 * ```ts
 * import { Layer } from "effect";
 * import { GameApi } from "@game-data/api-client";
 * import { GameApiSource } from "@game-data/stream-follower/api-client";
 * import * as FetchHttpClient from "effect/http/FetchHttpClient";
 *
 * const api = GameApi.layer({
 *   baseUrl: "https://api.example",
 *   credentials: "token",
 *   userAgent: { clientId: "example", version: "1.0.0", contact: "me@example.com" },
 * }).pipe(Layer.provide(FetchHttpClient.layer));
 * const source = GameApiSource.layer.pipe(Layer.provide(api));
 * if (!Layer.isLayer(source)) throw new Error("a layer of PageSource");
 * ```
 */
export * as GameApiSource from "./GameApiSource.ts";
