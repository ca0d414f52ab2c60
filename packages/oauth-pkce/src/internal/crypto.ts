/** Random text, and SHA-256 as 43 base64url characters, from the platform. */
import * as Effect from "effect/Effect";
import { WebCrypto } from "effect/crypto/WebCrypto";
import * as Base64Url from "effect/encoding/Base64Url";

/**
 * 256 random bits as 43 characters. §5 requires 32 bytes, and RFC 7636 §4.1 at least 43 characters.
 */
export const randomText: Effect.Effect<string> = Effect.map(WebCrypto, (crypto) =>
  Base64Url.encode(crypto.getRandomValues(new Uint8Array(32))),
);

export const hash = (text: string): Effect.Effect<string> => Effect.promise(() => digest(text));

export const digest = async (text: string): Promise<string> =>
  Base64Url.encode(
    new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))),
  );
