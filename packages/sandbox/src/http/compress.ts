/** Compresses responses (RFC 9110 §12.5.3). Cached bytes keep their compressed forms. */
import * as Effect from "effect/Effect";
import * as Body from "effect/http/HttpBody";
import * as Response from "effect/http/HttpServerResponse";
import { LruCache } from "../internal/LruCache.ts";
import type { Coding, Platform } from "../platform/Platform.ts";

/** Below this size compression costs more than it saves. */
const MIN_BYTES = 1024;

/** Compressed forms by the plain bytes; a promise while the compression is running. */
const coded = new WeakMap<Uint8Array, Map<Coding, Uint8Array | Promise<Uint8Array>>>();

/** Makes the function that returns a response's coding, or undefined for the plain bytes. */
export const makeAcceptedCoding = ({ codings }: Platform) => {
  // Cached by header, because a client sends the same one each time.
  const choices = new LruCache<Coding | undefined>(100);
  return (accepted: string, { body, headers }: Response.HttpServerResponse): Coding | undefined =>
    accepted !== "" &&
    body._tag === "Uint8Array" &&
    body.contentLength >= MIN_BYTES &&
    headers["vary"]?.includes("Accept-Encoding")
      ? choices.get(accepted, () => preferred(accepted, codings))
      : undefined;
};

export const compress = (
  platform: Platform,
  coding: Coding,
  response: Response.HttpServerResponse,
): Effect.Effect<Response.HttpServerResponse> => {
  const { body } = response;
  if (body._tag !== "Uint8Array") return Effect.succeed(response);
  const forms = coded.get(body.body) ?? new Map<Coding, Uint8Array | Promise<Uint8Array>>();
  coded.set(body.body, forms);
  const withBytes = (packed: Uint8Array) => {
    const sent = Response.setBody(response, Body.uint8Array(packed, body.contentType));
    return Response.setHeader(sent, "content-encoding", coding);
  };
  const form = forms.get(coding) ?? platform.compress(body.body, coding);
  // Without a promise, a cached form needs no turn of the event loop.
  if (form instanceof Uint8Array) return Effect.succeed(withBytes(form));
  forms.set(coding, form);
  return Effect.promise(async () => {
    const packed = await form;
    forms.set(coding, packed);
    return withBytes(packed);
  });
};

/** Returns the coding that a client prefers. At equal weights gzip wins, because it is cheaper. */
const preferred = (accepted: string, available: ReadonlyArray<Coding>): Coding | undefined => {
  const weights = new Map<string, number>();
  for (const part of accepted.toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim());
    const q = parameters.find((text) => text.startsWith("q="))?.slice(2);
    if (name !== "") weights.set(name, q === undefined ? 1 : Number(q));
  }
  const weight = (coding: Coding): number => weights.get(coding) ?? weights.get("*") ?? 0;
  const [best] = available.toSorted((one, other) => weight(other) - weight(one));
  return best !== undefined && weight(best) > 0 ? best : undefined;
};
