/**
 * A token store in the operating system's keychain, through an adapter that you hand in.
 *
 * The package depends on no keychain library. With `@napi-rs/keyring` the adapter is three lines:
 *
 * ```js
 * import { AsyncEntry } from "@napi-rs/keyring";
 *
 * const keychain = {
 *   get: (key) => new AsyncEntry("my-program", key).getPassword().then((text) => text ?? undefined),
 *   set: (key, text) => new AsyncEntry("my-program", key).setPassword(text),
 *   delete: (key) => new AsyncEntry("my-program", key).deletePassword().then(() => undefined),
 * };
 * ```
 *
 * Keychains have no locks: when several processes share the entries, pass the lock of `./node`'s
 * `FileStore.makeLock`.
 */
import * as Effect from "effect/Effect";
import { TokenStoreFailed } from "./Errors.ts";
import { fromBackend, processLock, type Lock, type TokenStore } from "./TokenStore.ts";

/** What a keychain must do. */
export interface Keychain {
  /** The text kept under `key`. */
  readonly get: (key: string) => Promise<string | undefined>;
  /** Keeps `text` under `key`. */
  readonly set: (key: string, text: string) => Promise<void>;
  /** Forgets `key`; nothing happens if it is unknown. */
  readonly delete: (key: string) => Promise<void>;
}

/** A store in a keychain. `lock` defaults to one among this process's fibers. */
export const make = (
  keychain: Keychain,
  { lock = processLock() }: { readonly lock?: Lock } = {},
): TokenStore =>
  fromBackend({
    read: (key) => attempt("get", () => keychain.get(key)),
    write: (key, text) => attempt("set", () => keychain.set(key, text)),
    delete: (key) => attempt("remove", () => keychain.delete(key)),
    lock,
  });

// A keychain's error may quote the entry; its text is not taken over.
const attempt = <A>(operation: TokenStoreFailed["operation"], run: () => Promise<A>) =>
  Effect.tryPromise({
    try: run,
    catch: () => new TokenStoreFailed({ operation, reason: "the keychain refused" }),
  });
