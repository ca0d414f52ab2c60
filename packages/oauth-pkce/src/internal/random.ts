/** Unguessable text from the platform's CSPRNG. */
import * as Effect from "effect/Effect";
import { WebCrypto } from "effect/crypto/WebCrypto";
import * as Base64Url from "effect/encoding/Base64Url";

/** 256 bits: §5 asks for at least 32 bytes of entropy; base64url makes them 43 characters, RFC 7636 §4.1's minimum. */
export const randomText: Effect.Effect<string> = /*#__PURE__*/ Effect.map(WebCrypto, (crypto) =>
  Base64Url.encode(crypto.getRandomValues(new Uint8Array(32))),
);
