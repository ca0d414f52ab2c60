/**
 * Reads `application/x-www-form-urlencoded`: the bodies of the OAuth endpoints and their queries.
 *
 * Rules of RFC 6749 §3.1 and §3.2: a parameter without a value counts as left out, an unknown one
 * is ignored, none of the known ones may come twice. Bytes that are not UTF-8 are refused rather
 * than repaired.
 */
import { utf8Text } from "../internal/encoding.ts";
import { queryOf, type RequestInput } from "../http/messages.ts";
import { refuse } from "./OAuthErrors.ts";

/** Parameters by name, and which of them came more than once. */
export interface Form {
  /** Value by name; empty values are left out. */
  readonly values: ReadonlyMap<string, string>;
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

/**
 * Reads the body of a request as a form whose `known` parameters come once, none of them in the
 * URL. Refuses any other one.
 */
export const readForm = (request: RequestInput, known: ReadonlyArray<string>): Form["values"] => {
  const type = request.header("content-type") ?? "";
  if (!/^application\/x-www-form-urlencoded *(?:; *charset="?utf-8"? *)?$/iu.test(type))
    return refuse("NotFormEncoded");
  const inUrl = parseForm(queryOf(request.url));
  if (inUrl === undefined || known.some((name) => inUrl.values.has(name)))
    return refuse("ParametersInQuery");
  if (request.body.length > MAX_BODY_BYTES) return refuse("BodyTooLarge");
  const text = utf8Text(request.body);
  const form = text === undefined ? undefined : parseForm(text);
  if (form === undefined) return refuse("NotFormEncoded");
  if (known.some((name) => form.repeated.has(name))) return refuse("ParameterRepeated");
  return form.values;
};

const decode = (text: string): string | undefined => {
  if (!text.includes("%")) return text.replaceAll("+", " ");
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
};
