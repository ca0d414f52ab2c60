/**
 * The journal of requests: each request, its response, and the policy and faults that changed it.
 *
 * It shows no secret, because an entry has no header, body or secret of a query. Tokens, codes, ids
 * and other values are shown as refs such as `token#3`, an ordinal for each kind in this run. Equal
 * values have the same ref, and a ref does not reveal its value. The newest entries are kept.
 */
import * as Cookies from "effect/http/Cookies";
import type { HttpServerResponse } from "effect/http/HttpServerResponse";
import type { Exchange, Facts, Referent, RefKind } from "../http/Exchange.ts";
import { isoInstant } from "../internal/instants.ts";
import { LruCache } from "../internal/LruCache.ts";
import { wordsOf } from "../internal/words.ts";

/** Conditions of the wanted entries; all must hold. */
export interface JournalFilter {
  readonly since?: number | undefined;
  readonly limit?: number | undefined;
  readonly endpoint?: string | undefined;
  readonly clientId?: string | undefined;
  readonly status?: number | undefined;
  /** Beginning of the path as it was sent. */
  readonly path?: string | undefined;
  /** Includes requests whose response has not ended. */
  readonly underWay?: boolean | undefined;
}

/** Maximum number of refs of a kind that are remembered. */
const MAX_REFS = 100_000;

export class Journal {
  readonly #capacity: number;
  #entries: Array<Recorded> = [];
  readonly #refs = new Map<RefKind, { last: number; readonly known: LruCache<string> }>();
  readonly #listeners = new Set<(entry: JournalEntry) => void>();
  #lastId = 0;

  /** A journal of the newest `capacity` requests. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Keeps a request. It is shown once its response has ended. */
  write(entry: Recorded): void {
    entry.id = ++this.#lastId;
    this.#entries.push(entry);
    // Older ones go together: to shift an array for each request costs more.
    if (this.#entries.length >= 2 * this.#capacity) this.#entries = this.#newest();
  }

  #newest(): Array<Recorded> {
    return this.#entries.slice(-this.#capacity);
  }

  /** Completes a request whose response has ended. */
  end(
    entry: Recorded,
    end: {
      readonly isWhole: boolean;
      readonly isAnswered: boolean;
      readonly durationMillis: number;
    },
  ): void {
    entry.isEnded = true;
    entry.isWhole = end.isWhole;
    if (!end.isWhole) entry.bytes = 0;
    if (!end.isAnswered) entry.status = null;
    entry.durationMillis = end.durationMillis;
    if (this.#listeners.size === 0) return;
    const shown = this.#shown(entry);
    for (const listener of this.#listeners) listener(shown);
  }

  /** The entries that are wanted, oldest first. */
  read(filter: JournalFilter = {}): ReadonlyArray<JournalEntry> {
    const { clientId, endpoint, limit, path = "", since, status, underWay = false } = filter;
    const wanted = this.#newest().filter(
      (entry) =>
        (entry.isEnded || underWay) &&
        entry.path.startsWith(path) &&
        (since === undefined || entry.id > since) &&
        (clientId === undefined || entry.clientId === clientId) &&
        (status === undefined || entry.status === status) &&
        (endpoint === undefined ||
          entry.endpoint === endpoint ||
          entry.endpoint?.split(".", 1)[0] === endpoint),
    );
    const newest = limit === undefined ? wanted : wanted.slice(Math.max(0, wanted.length - limit));
    return newest.map((entry) => this.#shown(entry));
  }

  /**
   * Returns the ids of requests by the value of a secret that they carried. Only for comparison
   * within this process.
   */
  idsBy(
    secret: "state" | "challenge" | "verifierStart",
  ): ReadonlyMap<string, ReadonlyArray<number>> {
    const ids = Map.groupBy(this.#newest(), ({ facts }) => facts[secret] ?? "");
    ids.delete("");
    return new Map([...ids].map(([value, entries]) => [value, entries.map(({ id }) => id)]));
  }

  /** Number of requests since the last `clear` that are no longer kept. */
  get forgotten(): number {
    return this.#lastId - this.#newest().length;
  }

  /** Calls `listener` for each request that ends from now on, until the result is called. */
  subscribe(listener: (entry: JournalEntry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  clear(): void {
    this.#entries = [];
    this.#refs.clear();
    this.#lastId = 0;
  }

  #shown(entry: Recorded): JournalEntry {
    return shownEntry(entry, (kind, value) => this.#ref(kind, value));
  }

  #ref(kind: RefKind, value: string): string {
    let refs = this.#refs.get(kind);
    if (refs === undefined)
      this.#refs.set(kind, (refs = { last: 0, known: new LruCache(MAX_REFS) }));
    const counted = refs;
    return counted.known.get(value, () => `${kind}#${++counted.last}`);
  }
}

/** Returns the reference that the journal shows in place of a secret or personal value. */
type Refer = (kind: RefKind, value: string) => string;

type Parameters = Readonly<Record<string, string>>;

/** One request in the journal, as it is shown. */
export type JournalEntry = Readonly<ReturnType<typeof shownEntry>>;

const shownEntry = (entry: Recorded, refer: Refer) => {
  const { at, facts, isEnded: _, params, request, tokenHash, ...rest } = entry;
  const ref = (kind: RefKind, value: string | undefined): string | null =>
    value === undefined ? null : refer(kind, value);
  const refs = (list: ReadonlyArray<Referent>): ReadonlyArray<string> =>
    list.map(({ hash, kind }) => refer(kind, hash));
  const sent = entry.route === null ? {} : parametersOf(entry.query, params);
  const parameters = referred(sent, refer);
  return {
    ...rest,
    /** Begin of the request, virtual time, ISO 8601. */
    at: isoInstant(at),
    /**
     * The path: of an endpoint in the specification's words, another one as it was sent. What may be a
     * secret or a person's is a ref, or `…`.
     */
    path: shownPath(entry, sent, parameters),
    /** The query, shown as the path is; empty if there is none. */
    query: shownQuery(entry.query, refer),
    /** Words of the specification as they were sent; any other value as a ref. */
    parameters,
    /** Names of parameters in the URL that hold a secret. */
    secretsInUrl: secretsIn(new URLSearchParams(entry.query).keys()),
    /** Whether a parameter of the path was percent-encoded twice. */
    isEncodedTwice: Object.values(params).some((value) => ESCAPE.test(value)),
    /** Equal for requests with equal method, URL and body. */
    requestRef: refer("request", request),
    /** Equal for requests over one connection. */
    connection: refer("connection", entry.connection),
    clientId: entry.clientId ?? facts.client ?? null,
    account: entry.account ?? facts.account ?? null,
    /** Ref of the access token that was sent. */
    token: ref("token", tokenHash),
    scopes: facts.scopes ?? entry.scopes,
    grantType: facts.grantType ?? null,
    /** Whether a client secret was sent, in the form or by HTTP Basic. */
    sendsSecret: facts.sendsSecret,
    /** Ref of the `state` of an authorization request. */
    state: ref("state", facts.state),
    /** Ref of the `code_challenge` of an authorization request. */
    challenge: ref("challenge", facts.challenge),
    challengeMethod: facts.challengeMethod ?? null,
    /** Ref of the first characters of a `code_verifier`. */
    verifierStart: ref("verifier", facts.verifierStart),
    /** Whether a `code_verifier` has few different characters. */
    isVerifierWeak: facts.isVerifierWeak ?? false,
    /** Secrets in the wrong place, in words such as `a refresh token as bearer`. */
    misplaced: facts.misplaced as ReadonlyArray<string>,
    /** Refs of tokens that were issued. */
    issued: refs(facts.issued),
    /** Refs of the codes and refresh tokens that the request redeemed. */
    used: refs(facts.used),
    /** Whether a fault made the redirect carry a state that differs from the request's. */
    isForged: facts.isForged,
    /** Ref of the requested change id. */
    cursor: ref("cursor", facts.cursor),
    /** Ref of the change id that was answered. */
    nextCursor: ref("cursor", facts.nextCursor),
    /** Whether a page was empty. */
    isEmpty: facts.isEmpty ?? null,
  };
};

/** The facts of a request that has just arrived. */
export const noFacts = (): Facts => ({
  sendsSecret: false,
  misplaced: [],
  issued: [],
  used: [],
  isForged: false,
});

/** A request as it is kept. Instants and refs are formatted when it is read. */
export type Recorded = ReturnType<typeof entryOf>;

/** The entry of an exchange. `elapsedMillis` is the time since the sandbox started. */
export const entryOf = (exchange: Exchange, elapsedMillis: number) => {
  const { connection, facts, headers, listener, match, method, now, query } = exchange;
  const { identity, tokenHash } = exchange.credentials;
  const isEndpoint = match?.name !== undefined;
  return {
    /** Ascending, from 1. */
    id: 0,
    at: now,
    /** Real milliseconds between the start of the sandbox and the request. */
    elapsedMillis,
    listener,
    method,
    path: exchange.sentPath,
    query,
    /** Path template; null if no route matched. */
    route: isEndpoint ? match.template : null,
    /** `group.endpoint` in the contract's names. */
    endpoint: match?.name ?? null,
    params: isEndpoint ? match.params : {},
    request: requestKey(exchange),
    connection: connection.id,
    /** Null if the connection ended without an answer. */
    status: null as number | null,
    /** The message of a refusal, without what was sent; null for other answers. */
    reason: null as string | null,
    durationMillis: 0,
    /** Id of a registered client. */
    clientId: null as string | null,
    account: identity?.username ?? null,
    tokenHash,
    /** Scopes of the access token that was sent, or of the one that was issued. */
    scopes: identity?.scopes ?? ([] as ReadonlyArray<string>),
    facts,
    /** Names of cookies that hold a secret. */
    secretsInCookie:
      headers["cookie"] === undefined
        ? []
        : secretsIn(Object.keys(Cookies.parseHeader(headers["cookie"]))),
    /** Whether the control plane sent the request in a person's place. */
    byControl: exchange.actor !== undefined,
    userAgent: headers["user-agent"]?.replace(LONG_WORD, "…").slice(0, 200) ?? null,
    retryAfterMillis: null as number | null,
    policy: null as string | null,
    /** Whether `policy` refused the request. */
    limited: false,
    /** Names of the fault rules that fired. */
    faults: [] as ReadonlyArray<string>,
    /** Bytes of the response's body. */
    bytes: 0,
    /** Whether the response was sent whole. */
    isWhole: false,
    /** Whether the response has ended. */
    isEnded: false,
  };
};

/** Adds the response to an entry. */
export const noteResponse = (entry: Recorded, { body, headers, status }: HttpServerResponse) => {
  entry.status = status;
  entry.clientId = entry.facts.client ?? null;
  entry.bytes = body._tag === "Uint8Array" ? body.contentLength : 0;
  if (status >= 300) {
    const text = body._tag === "Uint8Array" ? (body.text ?? "") : "";
    entry.reason = reasonOf({ status, location: headers["location"], text });
  }
  const wait = headers["retry-after"];
  // A fault may say anything else, which the audit does not measure.
  if (wait !== undefined && /^\d+(?:\.\d+)?$/u.test(wait))
    entry.retryAfterMillis = Number(wait) * 1000;
};

/** Text with the length of a token, which is hidden in `User-Agent`: no program has so long a name. */
const LONG_WORD = /[\w~+/=-]{40,}/gu;

/** Parameters of path and query by name; a repeated one is left out. */
const parametersOf = (query: string, params: Parameters): Parameters => {
  if (query === "") return params;
  const search = new URLSearchParams(query);
  const once = [...search].filter(([name]) => search.getAll(name).length === 1);
  return { ...Object.fromEntries(once), ...params };
};

/** An escape that is left in a parameter of a path after decoding (RFC 3986 §2.4). */
const ESCAPE = /%[0-9a-f]{2}/iu;

/** Equal for equal requests. The body counts by its length and a hash. */
const requestKey = ({ body, method, path, query }: Exchange): string => {
  let hash = 0x811c9dc5;
  for (const byte of body) hash = Math.imul(hash ^ byte, 0x01000193);
  return `${method} ${path}?${query} ${body.length} ${hash >>> 0}`;
};

/*
 * Parts of paths, queries and refusals that the journal may show, because they cannot be secrets.
 */

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
const REFERRED_PARAMETERS: ReadonlySet<string> = new Set(
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

/** The parameters of a request that may be shown, and refs of names that belong to a person. */
const referred = (parameters: Parameters, refer: Refer): Parameters => {
  const shown = shownParameters(Object.entries(parameters));
  return Object.fromEntries(
    Object.entries(parameters)
      .filter(([name]) => name in shown || REFERRED_PARAMETERS.has(name))
      .map(([name, value]) => [name, shown[name] ?? refer("value", `${name}=${value}`)]),
  );
};

/** Names of parameters that hold a secret, which no URL may carry (§5). */
const SECRET_PARAMETERS: ReadonlySet<string> = new Set(
  wordsOf("access_token refresh_token client_secret code_verifier token"),
);

/** Returns the names that stand for a secret; `code` does not, because redirects have it in the query. */
const secretsIn = (names: Iterable<string>): ReadonlyArray<string> =>
  [...names].filter((name) => SECRET_PARAMETERS.has(name));

/** A matched path with the parameters that may be shown, or the harmless segments of another path. */
const shownPath = (
  { path, route }: Pick<Recorded, "path" | "route">,
  sent: Parameters,
  shown: Parameters,
): string => {
  if (route === null) return path.slice(0, MAX_PATH).split("/").map(shownSegment).join("/");
  const parts = route.split("/").flatMap((part) => {
    const name = /^:(\w+)/u.exec(part)?.[1];
    if (name === undefined) return part;
    return name in sent ? (shown[name] ?? "…") : [];
  });
  return parts.join("/");
};

/** A query with the values that may be shown, and the names that cannot be tokens. */
const shownQuery = (query: string, refer: Refer): string => {
  if (query === "") return "";
  const parameters = Object.fromEntries(new URLSearchParams(query));
  const shown = referred(parameters, refer);
  return Object.keys(parameters)
    .slice(0, MAX_PARAMETERS)
    .map((name) => `${shownSegment(name)}=${shown[name] ?? "…"}`)
    .join("&");
};

const MAX_REASON = 200;
/** A message may quote the request; only quoted words are shown. */
const QUOTED = /"([^"]*)"/gu;
const QUOTED_WORDS = /^[\p{L} _.-]{0,19}$/u;
/** Text with the length and alphabet of a token, except for the media type in the service's own messages. */
const TOKEN = /(?!application\/x-www-form-urlencoded\b)(?<![\w~+/=-])[\w~+/=-]{20,}/gu;

/**
 * Returns the message of a refusal in JSON, or the `error_description` of a redirect (RFC 6749
 * §4.1.2.1).
 */
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
