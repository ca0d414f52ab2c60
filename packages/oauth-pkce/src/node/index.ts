/**
 * The parts that need Node: the loopback receiver with `signIn`, the file store, and opening a
 * browser.
 *
 * @example
 * ```ts
 * import { LoopbackReceiver } from "@game-data/oauth-pkce/node";
 * import { Effect } from "effect";
 *
 * const program = Effect.map(LoopbackReceiver.make(), ({ redirectUri }) => redirectUri);
 * const uri = await Effect.runPromise(Effect.scoped(program));
 * if (!/^http:\/\/127\.0\.0\.1:\d+\/callback$/.test(uri)) throw new Error(uri);
 * ```
 *
 * @packageDocumentation
 */
export * as FileStore from "./FileStore.ts";
export * as LoopbackReceiver from "./LoopbackReceiver.ts";
export { toNode, type NodeHandler, type ToNodeOptions } from "./toNode.ts";
export { keychainKey, type KeychainEntry, type KeychainKeyOptions } from "./keychainKey.ts";
export { openBrowser } from "./openBrowser.ts";
export { signIn, type SignInOptions } from "./signIn.ts";
