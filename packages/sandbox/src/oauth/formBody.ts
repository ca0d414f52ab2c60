/**
 * Reading `application/x-www-form-urlencoded`: the bodies of the OAuth endpoints and their queries.
 *
 * Rules of RFC 6749 §3.1 and §3.2: a parameter without a value counts as left out, an unknown one
 * is ignored, none of those that mean something may come twice. Bytes that are not UTF-8 are
 * refused rather than repaired.
 */
import * as ByteSize from "effect/ByteSize";
import * as Effect from "effect/Effect";
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage";
import type * as HttpServerRequest from "effect/http/HttpServerRequest";
import { failure, type OAuthFailure } from "./OAuthErrors.ts";

/** Parameters by name, and which of them came more than once. */
export interface Form {
  /** Value by name; empty values are left out. */
  readonly values: ReadonlyMap<string, string>;
  /** Names that came more than once. */
  readonly repeated: ReadonlySet<string>;
}

/** Largest body: far above any honest token request. */
const MAX_BODY_BYTES = 16_384;

/** Parses a form or a query; undefined where its bytes are not UTF-8. */
export const parseForm = (text: string): Form | undefined => {
  const values = new Map<string, string>();
  const repeated = new Set<string>();
  const seen = new Set<string>();
  for (const pair of text.split("&")) {
    if (pair === "") continue;
    const at = pair.indexOf("=");
    const name = decode(at < 0 ? pair : pair.slice(0, at));
    const value = at < 0 ? "" : decode(pair.slice(at + 1));
    if (name === undefined || value === undefined) return undefined;
    if (seen.has(name)) repeated.add(name);
    seen.add(name);
    if (value !== "") values.set(name, value);
  }
  return { values, repeated };
};

/** The query of a request's URL as text, without the question mark. */
export const queryOf = (url: string): string => {
  const at = url.indexOf("?");
  return at < 0 ? "" : url.slice(at + 1);
};

/**
 * Reads the body of a request as a form whose `known` parameters come once, none of them in the
 * URL.
 */
export const readForm = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  known: ReadonlyArray<string>,
): Effect.fn.Return<Form, OAuthFailure> {
  const type = request.headers["content-type"] ?? "";
  if (!/^application\/x-www-form-urlencoded *(?:; *charset="?utf-8"? *)?$/iu.test(type)) {
    return yield* failure("NotFormEncoded");
  }
  const inUrl = parseForm(queryOf(request.url));
  if (inUrl === undefined || known.some((name) => inUrl.values.has(name))) {
    return yield* failure("ParametersInQuery");
  }
  const text = yield* readText(request);
  const form = parseForm(text);
  if (form === undefined) return yield* failure("NotFormEncoded");
  if (known.some((name) => form.repeated.has(name))) return yield* failure("ParameterRepeated");
  return form;
});

const readText = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
): Effect.fn.Return<string, OAuthFailure> {
  if (Number(request.headers["content-length"] ?? 0) > MAX_BODY_BYTES) {
    return yield* failure("BodyTooLarge");
  }
  const bytes = yield* request.arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(MAX_BODY_BYTES)),
    Effect.mapError(() => failure("BodyTooLarge")),
  );
  return yield* Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
    catch: () => failure("NotFormEncoded"),
  });
});

const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
};
