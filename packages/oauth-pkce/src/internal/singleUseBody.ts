/**
 * A form body whose bytes can be read once.
 *
 * An injected `HttpClient` may retry or follow redirects, and neither can be taken off it again.
 * With this body it can do so only empty-handed: the second read throws before anything is on the
 * wire, so a single-use grant is never sent twice and a secret never reaches the target of a
 * redirect. Each adapter of Effect reads `body` exactly once per send.
 */
import * as HttpBody from "effect/http/HttpBody";
import { OAuthTransportError } from "../Errors.ts";

/**
 * A one-shot body of these form parameters. It throws `OAuthTransportError` into the client that
 * tries to send it again.
 */
export const singleUseForm = (params: URLSearchParams): HttpBody.HttpBody => {
  let bytes: Uint8Array | undefined = new TextEncoder().encode(String(params));
  // Getters of a class and not of the object: who prints an object reads those of its own.
  class Once extends HttpBody.Uint8Array {
    override get body(): Uint8Array {
      const once = bytes;
      bytes = undefined;
      if (once) return once;
      throw new OAuthTransportError({ reason: "the HTTP client tried to resend", sent: true });
    }

    override toJSON(): unknown {
      return "a form";
    }
  }
  return new Once(undefined, "application/x-www-form-urlencoded", bytes.length);
};
