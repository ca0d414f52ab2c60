/**
 * One root key in the operating system's keychain, for the sealer of a file store.
 *
 * The keychain holds 32 bytes, not the tokens: keychains have no compare-and-set, and Windows
 * limits an entry's size. It needs `@napi-rs/keyring`, an optional peer. On Linux only the Secret
 * Service is asked; without one it fails, and the program decides whether a file of mode 0600 is
 * enough.
 */
import type * as Keyring from "@napi-rs/keyring";
import * as Effect from "effect/Effect";
import { TokenStoreFailed } from "../Errors.ts";
import { errorCode } from "../internal/storeFailure.ts";

/** All that is needed of a keychain's entry. */
export interface KeychainEntry {
  readonly getPassword: () => Promise<string | null | undefined>;
  readonly setPassword: (text: string) => Promise<unknown>;
}

/** Options of `keychainKey`. */
export interface KeychainKeyOptions {
  /** Opens the entry. Default: `AsyncEntry` of `@napi-rs/keyring`. */
  readonly open?: (service: string, account: string) => Promise<KeychainEntry>;
}

const KEYRING: string = "@napi-rs/keyring";
const ACCOUNT = "oauth-root-key";
const KEY_BYTES = 32;

/** Returns the root key of a program, made on first use. `service` is the program's name. */
export const keychainKey = Effect.fn("keychainKey")(function* (
  service: string,
  { open = openKeyring }: KeychainKeyOptions = {},
): Effect.fn.Return<Uint8Array, TokenStoreFailed> {
  return yield* Effect.tryPromise({
    try: async () => {
      const entry = await open(service, ACCOUNT);
      const found = decode(await entry.getPassword());
      if (found) return found;
      const made = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
      await entry.setPassword(Buffer.from(made).toString("base64url"));
      // Two first starts at once: whoever wrote last is believed by both.
      return decode(await entry.getPassword()) ?? made;
    },
    // A keychain's error may quote the entry: its text is not taken over.
    catch: (error) => new TokenStoreFailed({ operation: "open", reason: reasonOf(error) }),
  });
});

const decode = (text: string | null | undefined): Uint8Array | undefined => {
  const bytes = Buffer.from(text ?? "", "base64url");
  return bytes.length === KEY_BYTES ? new Uint8Array(bytes) : undefined;
};

const reasonOf = (error: unknown): string => {
  const code = errorCode(error) ?? "the keychain refused";
  return code === "ERR_MODULE_NOT_FOUND" ? "@napi-rs/keyring is not installed" : code;
};

const openKeyring = async (service: string, account: string): Promise<KeychainEntry> => {
  // A name in a variable: bundlers leave native code where it is.
  const { AsyncEntry } = (await import(KEYRING)) as typeof Keyring;
  // Without this it falls back to the kernel's keyring, which forgets at the next start.
  return new AsyncEntry(service, account, { linux: { store: "secret-service" } });
};
