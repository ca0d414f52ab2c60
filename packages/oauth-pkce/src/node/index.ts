/**
 * What needs Node: the loopback receiver with `signIn`, the file store, and opening a browser.
 *
 * @packageDocumentation
 */
export * as FileStore from "./FileStore.ts";
export * as LoopbackReceiver from "./LoopbackReceiver.ts";
export { toNode, type NodeHandler, type ToNodeOptions } from "./toNode.ts";
export { keychainKey, type KeychainEntry, type KeychainKeyOptions } from "./keychainKey.ts";
export { openBrowser } from "./openBrowser.ts";
export { signIn, type SignInOptions } from "./signIn.ts";
