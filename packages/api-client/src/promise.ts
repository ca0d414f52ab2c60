/**
 * The same client for programs without Effect: promises, async iterables, `AbortSignal`, errors
 * thrown as they are.
 *
 * Every method of the Effect client is here under the same name. Errors have a `_tag`
 * (`"NotFound"`, `"RateLimited"`, …) and are instances of the classes that this entry exports. A
 * call that was aborted through its `signal` throws the signal's reason.
 *
 * @example
 * ```ts
 * import { createGameApi } from "@game-data/api-client/promise";
 * import { fixtureTransport } from "@game-data/api-client/testing";
 *
 * const api = createGameApi({
 *   baseUrl: "https://api.example",
 *   userAgent: { clientId: "price-tool", version: "1.0.0", contact: "me@example.com" },
 *   credentials: async () => "access-token",
 *   transport: fixtureTransport({ "characters.list": { body: { characters: [] } } }),
 * });
 * if ((await api.characters.list()).length !== 0) throw new Error("characters from nowhere");
 * await api.close();
 * ```
 */
import { PolicyLimiter } from "@game-data/rate-limit";
import * as Cause from "effect/Cause";
import * as Exit from "effect/Exit";
import * as ManagedRuntime from "effect/ManagedRuntime";
import { fetchTransport } from "./fetchTransport.ts";
import { checkClientOptions } from "./operations/clientOptions.ts";
import { makeApi } from "./operations/makeApi.ts";
import { limiterInMemory } from "./pipeline/limiterBridge.ts";
import type { GameApi, PromiseOptions } from "./promise/Model.ts";
import { promiseKit } from "./promise/promiseKit.ts";

export { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
export type { CallOptions, ResponseInfo } from "./CallOptions.ts";
export { toCurl } from "./CallOptions.ts";
export * from "./Errors.ts";
export { fetchTransport } from "./fetchTransport.ts";
export type * from "./Model.ts";
export type { EntryOf, Page, PageOf, PageOptions } from "./operations/paging.ts";
export type {
  PromiseCredentials,
  PromiseSessionLike,
  PromiseToken,
  PromiseTokenSource,
  TokenFunction,
} from "./promise/credentials.ts";
export type * from "./promise/Model.ts";
export type { PromiseRawResponse } from "./promise/raw.ts";

/**
 * Makes a client. Make one per budget and keep it: it holds the rate limiter's knowledge. Throws
 * `ConfigurationInvalid`.
 */
export const createGameApi = (options: PromiseOptions): GameApi => {
  checkClientOptions(options);
  const runtime = ManagedRuntime.make(limiterInMemory(options.limiter));
  const limiter = runtime.runSyncExit(PolicyLimiter);
  if (Exit.isFailure(limiter)) throw Cause.squash(limiter.cause);
  const { close, kit } = promiseKit(limiter.value);
  const transport = options.transport ?? fetchTransport(options.fetch);
  return Object.assign(makeApi({ ...options, transport }, kit), { close }) as GameApi;
};
