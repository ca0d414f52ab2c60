/**
 * Encrypts what is stored: token sets, and the sign-in flow in a cookie.
 *
 * A sealed text is a compact JWE (`alg: dir`, `enc: A256GCM`, RFC 7516), made by the `jose`
 * library. Its protected header binds the key id, the purpose and the entry's key, so an entry
 * copied to another key does not open. `makeSealer` is in `@game-data/oauth-pkce/sealer`, because
 * it takes `jose` along; this module holds the interface, and you may implement it with a KMS.
 */
import * as Duration from "effect/Duration";
import { decode, ttlOf } from "./internal/GrantRecord.ts";
import type { Backend } from "./Model.ts";

/** A text that was opened. */
export interface Opened {
  readonly text: string;
  /** Whether it was sealed with another key than the current one. */
  readonly isStale: boolean;
}

/** Seals and opens texts. `context` is what the text belongs to: the entry's key. */
export interface Sealer {
  readonly seal: (text: string, context: string) => Promise<string>;
  /** `undefined` for any text that was not sealed with these keys for this context. */
  readonly open: (text: string, context: string) => Promise<Opened | undefined>;
}

/** A sealed entry that does not open with the keys at hand. */
class NotOpened extends Error {
  readonly code = "SEAL_NOT_OPENED";
}

/**
 * Makes a store whose entries are sealed. An entry that does not open is a `TokenStoreFailed` with
 * the reason `SEAL_NOT_OPENED`; clear text is never accepted.
 */
export const sealed = (backend: Backend, sealer: Sealer): Backend => ({
  read: async (key) => {
    const entry = await backend.read(key);
    if (entry === undefined) return undefined;
    const opened = await sealer.open(entry.text, key);
    if (opened === undefined) throw new NotOpened();
    return { ...entry, text: opened.text };
  },
  write: async (key, expected, next) =>
    backend.write(key, expected, next && { ...next, text: await sealer.seal(next.text, key) }),
});

/**
 * Seals every entry anew that was sealed with an old key, so that the old key can go. Runs beside
 * traffic: an entry that changes meanwhile has been sealed by its writer. Returns how many it
 * wrote.
 */
export const resealAll = async (
  backend: Backend,
  sealer: Sealer,
  keys: Iterable<string> | AsyncIterable<string>,
): Promise<number> => {
  let count = 0;
  for await (const key of keys) {
    const entry = await backend.read(key);
    if (entry === undefined) continue;
    const opened = await sealer.open(entry.text, key);
    if (opened === undefined) throw new NotOpened();
    if (!opened.isStale) continue;
    const record = decode(opened.text);
    const ttl = record && ttlOf(record, entry.now);
    // The version stays, so a renewal in flight can still write its tokens.
    const next = {
      version: entry.version,
      text: await sealer.seal(opened.text, key),
      ...(ttl && { ttlMillis: Math.ceil(Duration.toMillis(ttl)) }),
    };
    if (await backend.write(key, entry.version, next)) count += 1;
  }
  return count;
};
