/**
 * Reads `application/x-www-form-urlencoded` by the rules of RFC 6749 §3.1 and §3.2: a parameter
 * without a value counts as left out, and an unknown one is ignored. A known parameter must not be
 * repeated or be in the URL. Bytes that are not UTF-8 are refused.
 */
import * as Effect from "effect/Effect";
import type { Exchange } from "../http/Exchange.ts";
import { utf8Text } from "../internal/encoding.ts";
import { refuse } from "./OAuthFailure.ts";

/** Parameters by name, and which of them are repeated. */
export interface Form {
  /** Value by name; empty values are left out. */
  readonly values: ReadonlyMap<string, string>;
  readonly repeated: ReadonlySet<string>;
}

const MAX_BODY_BYTES = 16_384;
const FORM = /^application\/x-www-form-urlencoded *(?:; *charset="?utf-8"? *)?$/iu;

/** Reads a form of known parameters, each of which occurs once and in the body (RFC 6749 §3.2). */
export const readForm = Effect.fnUntraced(function* (
  { body, headers, query }: Exchange,
  known: ReadonlyArray<string>,
) {
  if (!FORM.test(headers["content-type"] ?? "")) return yield* refuse("NotFormEncoded");
  const inUrl = parseForm(query);
  if (inUrl === undefined || known.some((name) => inUrl.values.has(name)))
    return yield* refuse("ParametersInQuery");
  if (body.length > MAX_BODY_BYTES) return yield* refuse("BodyTooLarge");
  const text = utf8Text(body);
  const form = text === undefined ? undefined : parseForm(text);
  if (form === undefined) return yield* refuse("NotFormEncoded");
  if (known.some((name) => form.repeated.has(name))) return yield* refuse("ParameterRepeated");
  return form.values;
});

/** Parses a form or a query. Returns undefined if its bytes are not UTF-8. */
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

const decode = (text: string): string | undefined => {
  if (!text.includes("%")) return text.replaceAll("+", " ");
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
};
