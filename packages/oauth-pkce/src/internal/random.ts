/** Unguessable text from the platform's CSPRNG: `bytes` random bytes in base64url. */
import * as Effect from "effect/Effect";
import { WebCrypto } from "effect/crypto/WebCrypto";
import * as Base64Url from "effect/encoding/Base64Url";

/** `bytes` random bytes in base64url. */
export const randomText = (bytes: number): Effect.Effect<string> =>
  Effect.map(WebCrypto, (crypto) =>
    Base64Url.encode(crypto.getRandomValues(new Uint8Array(bytes))),
  );
