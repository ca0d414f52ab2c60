/**
 * A form body whose bytes can be read once.
 *
 * An injected `HttpClient` may retry or follow redirects, and neither can be taken off it again. With this body it can do
 * so only empty-handed: the second read throws before anything is on the wire, so a single-use grant is never sent twice
 * and a secret never reaches the target of a redirect. Each adapter of Effect reads `body` exactly once per send.
 */
import * as HttpBody from "effect/http/HttpBody";

/** Thrown into the client that tries to send a body for the second time. */
export class SecondSend {
  readonly _tag = "SecondSend";
}

class OneShotBody extends HttpBody.Uint8Array {
  #bytes: globalThis.Uint8Array | undefined;

  constructor(bytes: globalThis.Uint8Array) {
    super(undefined, "application/x-www-form-urlencoded", bytes.length);
    this.#bytes = bytes;
  }

  override get body(): globalThis.Uint8Array {
    const bytes = this.#bytes;
    if (bytes === undefined) throw new SecondSend();
    this.#bytes = undefined;
    return bytes;
  }

  override toJSON(): unknown {
    return { _id: "effect/HttpBody", _tag: "Uint8Array", contentType: this.contentType };
  }
}

/** A one-shot body of these form parameters. */
export const oneShotForm = (params: URLSearchParams): HttpBody.HttpBody =>
  new OneShotBody(new TextEncoder().encode(params.toString()));
