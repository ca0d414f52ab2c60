/**
 * A root key in the operating system's keychain, for the sealer of a file store.
 *
 * The keychain holds 32 bytes, not the tokens: keychains have no compare-and-set, and Windows
 * limits the size of an entry. It needs `@napi-rs/keyring`, an optional peer. On Linux it uses the
 * Secret Service only. Without that service it fails, and the program decides whether a file of
 * mode 0600 is enough.
 */
import type * as Keyring from "@napi-rs/keyring";
import * as Effect from "effect/Effect";
import { TokenStoreFailed } from "../Errors.ts";
import { errorCode } from "../internal/errorCode.ts";

/** Entry of the system's keychain: the methods of `AsyncEntry` that are used. */
export interface KeychainEntry {
  readonly getPassword: () => Promise<string | null | undefined>;
  readonly setPassword: (text: string) => Promise<unknown>;
}

/** Options of `keychainKey`, for another keychain or for tests. */
export interface KeychainKeyOptions {
  /** Opens the entry. Default: `AsyncEntry` of `@napi-rs/keyring`. */
  readonly open?: (service: string, account: string) => Promise<KeychainEntry>;
}

const ACCOUNT = "oauth-root-key";
const KEY_BYTES = 32;

/**
 * Returns the root key of a program, made on first use. `service` is the program's name. It is not
 * traced, because it returns a secret.
 */
export const keychainKey = (
  service: string,
  { open = openKeyring }: KeychainKeyOptions = {},
): Effect.Effect<Uint8Array, TokenStoreFailed> =>
  Effect.tryPromise({
    try: async () => {
      const entry = await open(service, ACCOUNT);
      const key = decode(await entry.getPassword());
      if (key) return key;
      const newKey = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
      await entry.setPassword(Buffer.from(newKey).toString("base64url"));
      // Two processes may make a key at the same time. Both read the key back, and so use the key
      // that was written last.
      return decode(await entry.getPassword()) ?? newKey;
    },
    // The error of a keychain may quote the entry, so its text is not kept.
    catch: (error) => {
      const code = errorCode(error) ?? "the keychain refused";
      const isMissing = code === "ERR_MODULE_NOT_FOUND";
      const reason = isMissing ? "@napi-rs/keyring is not installed" : code;
      return new TokenStoreFailed({ operation: "open", reason });
    },
  });

const decode = (text: string | null | undefined): Uint8Array | undefined => {
  const bytes = Buffer.from(text ?? "", "base64url");
  return bytes.length === KEY_BYTES ? new Uint8Array(bytes) : undefined;
};

// The name is in a variable, so that bundlers leave the native module where it is.
const KEYRING: string = "@napi-rs/keyring";

const openKeyring = async (service: string, account: string): Promise<KeychainEntry> => {
  const { AsyncEntry } = (await import(KEYRING)) as typeof Keyring;
  // The library's default on Linux is the kernel's keyring, which is empty after a restart.
  return new AsyncEntry(service, account, { linux: { store: "secret-service" } });
};
