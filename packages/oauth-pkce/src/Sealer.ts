/**
 * Encrypts what is stored, so that a dump of the store shows no token.
 *
 * `makeSealer` is in `@game-data/oauth-pkce/sealer`, because it brings `jose` along. You may implement
 * this interface over a key management service.
 */
import type { Backend } from "./TokenStore.ts";

/** Seals and opens texts. `context` is what a text belongs to: the entry's key. */
export interface Sealer {
  readonly seal: (text: string, context: string) => Promise<string>;
  /** Returns `undefined` for a text that was not sealed with these keys for this context. */
  readonly open: (text: string, context: string) => Promise<string | undefined>;
}

/**
 * Makes a store whose entries are sealed. An entry that no key opens is read as the text `""` with its
 * version: it signs no user in and can be replaced. Clear text is never accepted.
 */
export const sealed = (backend: Backend, sealer: Sealer): Backend => ({
  read: async (key) => {
    const entry = await backend.read(key);
    return entry && { ...entry, text: (await sealer.open(entry.text, key)) ?? "" };
  },
  write: async (key, expected, next) =>
    backend.write(key, expected, next && { ...next, text: await sealer.seal(next.text, key) }),
});
