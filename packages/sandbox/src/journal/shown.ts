/** Parts of paths, queries and refusals that the journal may show, because they cannot be secrets. */
import { wordsOf } from "../internal/words.ts";

type Parameters = Readonly<Record<string, string>>;

/**
 * Parameters of paths and queries that may be shown. `code`, `state`, tokens and the like are not
 * among them.
 */
const SHOWN_PARAMETERS: ReadonlySet<string> = new Set(
  wordsOf(`
  realm league limit offset sort class type season validate grant_type scope response_type
`),
);

/** Parameters of the contract that are shown as refs. */
export const REFERRED_PARAMETERS: ReadonlySet<string> = new Set(
  wordsOf("league name match stash_id substash_id season"),
);

const MAX_PATH = 300;
const MAX_PARAMETERS = 20;
/** Words, or a number: what people write into a path, and never a token. */
const WORD = /^(?:[\p{L} _.-]{0,19}|\d{1,10})$/u;

/** A segment of a path that no route has, or a parameter's name: never what may be a token. */
const shownSegment = (segment: string): string => {
  const text = decoded(segment);
  return WORD.test(text) ? text : "…";
};

const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return "…";
  }
};

/** Words, numbers and names; nothing of the length or the alphabet of a token. */
const HARMLESS = /^[\p{L}\p{N} _:.,'()-]{1,40}$/u;

/** The parameters of a request that may be written down. */
export const shownParameters = (
  parameters: Iterable<readonly [string, unknown]>,
): Readonly<Record<string, string>> => {
  const harmless: Record<string, string> = {};
  for (const [name, value] of parameters)
    // A name that was encoded twice is shown as it is, so that its developer sees it.
    if (SHOWN_PARAMETERS.has(name) && typeof value === "string" && HARMLESS.test(decoded(value)))
      harmless[name] = value;
  return harmless;
};

/** Names of parameters that hold a secret, which no URL may carry (§5). */
const SECRET_PARAMETERS: ReadonlySet<string> = new Set(
  wordsOf("access_token refresh_token client_secret code_verifier token"),
);

/** The names of secrets in a query. A code in the query is the server's own redirect. */
export const secretsIn = (names: Iterable<string>): ReadonlyArray<string> =>
  [...names].filter((name) => SECRET_PARAMETERS.has(name));

/** A matched path with the parameters that may be shown, or the harmless segments of another path. */
export const shownPath = (
  {
    parameters,
    path,
    route,
  }: {
    readonly parameters: Parameters;
    readonly path: string;
    readonly route: string | null;
  },
  shown: Parameters,
): string => {
  if (route === null) return path.slice(0, MAX_PATH).split("/").map(shownSegment).join("/");
  const parts = route.split("/").flatMap((part) => {
    const name = /^:(\w+)/u.exec(part)?.[1];
    if (name === undefined) return part;
    return name in parameters ? (shown[name] ?? "…") : [];
  });
  return parts.join("/");
};

/** A query with the values that may be shown, and the names that cannot be tokens. */
export const shownQuery = (
  query: string,
  shownOf: (parameters: Parameters) => Parameters,
): string => {
  if (query === "") return "";
  const parameters = Object.fromEntries(new URLSearchParams(query));
  const shown = shownOf(parameters);
  return Object.keys(parameters)
    .slice(0, MAX_PARAMETERS)
    .map((name) => `${shownSegment(name)}=${shown[name] ?? "…"}`)
    .join("&");
};

const MAX_REASON = 200;
/** A message may quote the request; only quoted words are shown. */
const QUOTED = /"([^"]*)"/gu;
const QUOTED_WORDS = /^[\p{L} _.-]{0,19}$/u;
/** Text with the length and alphabet of a token, except for the media type that the service names. */
const TOKEN = /(?!application\/x-www-form-urlencoded\b)(?<![\w~+/=-])[\w~+/=-]{20,}/gu;

/** The message of a refusal in JSON, or the description in a redirect (RFC 6749 §4.1.2.1). */
export const reasonOf = (response: {
  readonly status: number;
  readonly location: string | undefined;
  readonly text: string;
}): string | null => {
  const said = response.status < 400 ? saidIn(response.location) : messageOf(response.text);
  if (typeof said !== "string") return null;
  return said
    .slice(0, MAX_REASON)
    .replace(QUOTED, (whole, inner: string) => (QUOTED_WORDS.test(inner) ? whole : '"…"'))
    .replace(TOKEN, "…");
};

const saidIn = (location: string | undefined): string | undefined => {
  if (location === undefined || !location.includes("error_description=")) return undefined;
  const query = location.slice(location.indexOf("?") + 1);
  return new URLSearchParams(query).get("error_description") ?? undefined;
};

const messageOf = (body: string): unknown => {
  if (!body.startsWith("{")) return undefined;
  try {
    const { error, error_description, reason } = JSON.parse(body) as {
      readonly error?: string | { readonly message?: string };
      readonly error_description?: string;
      readonly reason?: string;
    };
    return error_description ?? reason ?? (typeof error === "object" ? error?.message : error);
  } catch {
    return undefined;
  }
};
