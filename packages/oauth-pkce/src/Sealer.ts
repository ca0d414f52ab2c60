/**
 * Encrypts what is stored: token sets, and the sign-in flow in a cookie.
 *
 * A sealed text is a compact JWE (`alg: dir`, `enc: A256GCM`, RFC 7516), made by the `jose`
 * library. Its protected header binds the key id, the purpose and the entry's key, so an entry
 * copied to another key does not open. `makeSealer` is in `@game-data/oauth-pkce/sealer`, because
 * it takes `jose` along; this module holds the interface, and you may implement it with a KMS.
 */
import { bounded } from "./internal/boundedStore.ts";
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

/**
 * Makes a store whose entries are sealed. An entry that does not open is read with the text `""`
 * and its version, so it can be replaced: nobody is signed in by it. Clear text is never accepted.
 */
export const sealed = (backend: Backend, sealer: Sealer): Backend => ({
  read: async (key) => {
    const entry = await backend.read(key);
    if (entry === undefined) return undefined;
    return { ...entry, text: (await sealer.open(entry.text, key))?.text ?? "" };
  },
  write: async (key, expected, next) =>
    backend.write(key, expected, next && { ...next, text: await sealer.seal(next.text, key) }),
});

/** Milliseconds for one call of a store. */
const CALL_MILLIS = 30_000;

/** What `resealAll` did. */
export interface Resealed {
  /** The number of entries that it wrote. */
  readonly resealed: number;
  /** The keys of entries that open with none of the keys. They are left as they are. */
  readonly unreadable: ReadonlyArray<string>;
}

/**
 * Seals every entry anew that was sealed with an old key, so that the old key can go. Runs beside
 * traffic: an entry that changes meanwhile has been sealed by its writer. Ends of entries stay.
 * Rejects with `TokenStoreFailed` if a call of the store fails or takes 30 seconds; a new run goes on.
 */
export const resealAll = async (
  backend: Backend,
  sealer: Sealer,
  keys: Iterable<string> | AsyncIterable<string>,
): Promise<Resealed> => {
  const store = bounded(backend, CALL_MILLIS);
  let resealed = 0;
  const unreadable = new Set<string>();
  for await (const key of keys) {
    const entry = await store.read(key);
    if (entry === undefined) continue;
    const opened = await sealer.open(entry.text, key);
    if (opened === undefined) unreadable.add(key);
    if (!opened?.isStale) continue;
    // The version stays, so a renewal in flight can still write its tokens.
    const text = await sealer.seal(opened.text, key);
    const next = { version: entry.version, text, ttlMillis: "keep" } as const;
    if (await store.write(key, entry.version, next)) resealed += 1;
  }
  return { resealed, unreadable: [...unreadable] };
};
