/**
 * A `Sealer` on `jose`: compact JWE with `alg: dir` and `enc: A256GCM`.
 *
 * The key of a purpose is derived from a 32-byte root key (HKDF-SHA-256). Write with `current`,
 * read with any of `keys`; to rotate, add a key, make it current, run `resealAll`, and drop the old
 * key ten minutes later, when the last open flow has ended. Without a key it fails: there is no way
 * back to clear text.
 *
 * @example
 * ```ts
 * import { makeSealer } from "@game-data/oauth-pkce/sealer";
 *
 * const root = crypto.getRandomValues(new Uint8Array(32));
 * const sealer = await makeSealer({ current: "2026", keys: { "2026": root }, purpose: "tokens" });
 * const text = await sealer.seal("secret", "user:1");
 * if ((await sealer.open(text, "user:1"))?.text !== "secret") throw new Error("it did not open");
 * if (await sealer.open(text, "user:2")) throw new Error("it opened for another user");
 * ```
 *
 * @packageDocumentation
 */
import { base64url, CompactEncrypt, compactDecrypt } from "jose";
import { ConfigurationInvalid } from "./Errors.ts";
import { digest } from "./internal/digest.ts";
import type { Sealer } from "./Sealer.ts";

export { resealAll, sealed, type Opened, type Resealed, type Sealer } from "./Sealer.ts";

/** Root keys by key id. */
export interface SealerOptions {
  /** The id of the key that seals. */
  readonly current: string;
  /** Root keys of 32 bytes, or their base64 or base64url text. */
  readonly keys: Readonly<Record<string, Uint8Array | string>>;
  /** The kind of the texts: `tokens`, `flow`. Texts of one purpose do not open for another. */
  readonly purpose: string;
}

const ROOT_BYTES = 32;

/** Makes a sealer. Rejects with `ConfigurationInvalid` if a key is missing or too short. */
export const makeSealer = async ({ current, keys, purpose }: SealerOptions): Promise<Sealer> => {
  const derived = new Map<string, Uint8Array>();
  for (const [id, root] of Object.entries(keys ?? {}))
    derived.set(id, await derive(id, root, purpose));
  const key = derived.get(current);
  if (key === undefined)
    throw new ConfigurationInvalid({ option: "current", reason: "names none of the keys" });
  return {
    seal: async (text, context) =>
      new CompactEncrypt(new TextEncoder().encode(text))
        .setProtectedHeader({
          alg: "dir",
          enc: "A256GCM",
          kid: current,
          purpose,
          // Hashed: a cookie's header is readable, and an entry's key may be a user's id.
          ctx: await digest(context),
        })
        .encrypt(key),
    open: async (text, context) => {
      try {
        const { plaintext, protectedHeader } = await compactDecrypt(
          text,
          ({ kid }) => {
            const found = derived.get(kid ?? "");
            if (found === undefined) throw new Error("unknown key");
            return found;
          },
          { keyManagementAlgorithms: ["dir"], contentEncryptionAlgorithms: ["A256GCM"] },
        );
        const isOurs =
          protectedHeader["purpose"] === purpose &&
          protectedHeader["ctx"] === (await digest(context));
        return isOurs
          ? { text: new TextDecoder().decode(plaintext), isStale: protectedHeader.kid !== current }
          : undefined;
      } catch {
        return undefined;
      }
    },
  };
};

const derive = async (id: string, root: Uint8Array | string, purpose: string) => {
  const bytes = typeof root === "string" ? fromBase64(root) : root;
  if (bytes?.length !== ROOT_BYTES)
    throw new ConfigurationInvalid({
      option: `keys.${/^[\w.-]{1,40}$/.test(id) ? id : "…"}`,
      reason: `must be ${ROOT_BYTES} bytes`,
    });
  const material = await crypto.subtle.importKey("raw", new Uint8Array(bytes), "HKDF", false, [
    "deriveBits",
  ]);
  const info = new TextEncoder().encode(`@game-data/oauth-pkce ${purpose}`);
  const parameters = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info };
  return new Uint8Array(await crypto.subtle.deriveBits(parameters, material, 256));
};

const fromBase64 = (text: string): Uint8Array | undefined => {
  try {
    return base64url.decode(text.replaceAll("+", "-").replaceAll("/", "_"));
  } catch {
    return undefined;
  }
};
