/**
 * A `Sealer` on `jose`: compact JWE with `alg: dir` and `enc: A256GCM`.
 *
 * The key of each purpose is derived from a root key (HKDF-SHA-256). Texts are written with `current`
 * and read with any of `keys`. To rotate, add a key, make it `current`, and remove the old key when
 * its oldest session has ended: each renewal seals again. There is no way back to clear text.
 *
 * @packageDocumentation
 */
import { base64url, CompactEncrypt, compactDecrypt } from "jose";
import { ConfigurationInvalid } from "./Errors.ts";
import { digest } from "./internal/crypto.ts";
import type { Sealer } from "./TokenStore.ts";

export { sealed, type Sealer } from "./TokenStore.ts";

/** The keys of a sealer, and the purpose of its texts. */
export interface SealerOptions {
  /** The id of the key that seals. */
  readonly current: string;
  /** Root keys of 32 random bytes by id, or their base64 or base64url text. */
  readonly keys: Readonly<Record<string, Uint8Array | string>>;
  /** The kind of texts: `tokens`, `flow`. Texts of one purpose do not open for another. */
  readonly purpose: string;
}

const ROOT_BYTES = 32;

const invalid = (option: string, reason: string) => new ConfigurationInvalid({ option, reason });

/** Makes a sealer. Rejects with `ConfigurationInvalid` if a key is missing or not random. */
export const makeSealer = async ({ current, keys, purpose }: SealerOptions): Promise<Sealer> => {
  const derived = new Map<string, Uint8Array>();
  for (const [id, root] of Object.entries(keys ?? {}))
    derived.set(id, await deriveKey(id, root, purpose));
  const key = derived.get(current);
  if (key === undefined) throw invalid("current", "names none of the keys");
  return {
    seal: async (text, context) =>
      new CompactEncrypt(new TextEncoder().encode(text))
        .setProtectedHeader({
          alg: "dir",
          enc: "A256GCM",
          kid: current,
          purpose,
          // Hashed, because the header is readable and a context may be a user's id.
          ctx: await digest(context),
        })
        .encrypt(key),
    open: async (text, context) => {
      try {
        const { plaintext, protectedHeader } = await compactDecrypt(
          text,
          ({ kid }) => {
            const root = derived.get(kid ?? "");
            if (root === undefined) throw new Error("unknown key");
            return root;
          },
          { keyManagementAlgorithms: ["dir"], contentEncryptionAlgorithms: ["A256GCM"] },
        );
        const isFitting =
          protectedHeader["purpose"] === purpose &&
          protectedHeader["ctx"] === (await digest(context));
        return isFitting ? new TextDecoder().decode(plaintext) : undefined;
      } catch {
        return undefined;
      }
    },
  };
};

const deriveKey = async (id: string, root: Uint8Array | string, purpose: string) => {
  const bytes = typeof root === "string" ? fromBase64(root) : root;
  const option = `keys.${/^[\w.-]{1,40}$/.test(id) ? id : "…"}`;
  if (bytes?.length !== ROOT_BYTES) throw invalid(option, `must be ${ROOT_BYTES} bytes`);
  // The key is a buffer that was never filled, or an example from a guide.
  if (bytes.every((byte) => byte === bytes[0]))
    throw invalid(option, "must be random, and its bytes are all equal");
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
