/**
 * Proof Key for Code Exchange (RFC 7636): the verifier, its S256 challenge, and the `state` of a
 * request.
 *
 * Use through `PkceFlow`; import this module alone when you build your own flow. There is no
 * `plain` method here and no way to fall back to it (RFC 9700 §2.1.1). Randomness comes from the
 * platform's CSPRNG (`effect/crypto/WebCrypto`).
 */
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import { WebCrypto } from "effect/crypto/WebCrypto";
import * as Base64Url from "effect/encoding/Base64Url";
import { randomText } from "./internal/random.ts";

const secret = /*#__PURE__*/ Effect.map(randomText, (text) => Redacted.make(text));

/** A fresh `code_verifier`: 43 unreserved characters that hold 256 random bits. */
export const makeVerifier: Effect.Effect<Redacted.Redacted> = secret;

/** A fresh `state`: 256 random bits, twice what RFC 6749 §10.10 calls unguessable. */
export const makeState: Effect.Effect<Redacted.Redacted> = secret;

/**
 * The `S256` challenge of a verifier: base64url without padding of SHA-256 of its ASCII bytes (RFC
 * 7636 §4.2).
 */
export const challengeOf = (verifier: Redacted.Redacted): Effect.Effect<string> =>
  Effect.flatMap(WebCrypto, (crypto) =>
    Effect.promise(async () => {
      const bytes = new TextEncoder().encode(Redacted.value(verifier));
      return Base64Url.encode(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
    }),
  );
