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

/** Conditions for entries of the journal; all must hold. */
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

  /** Makes a journal that keeps the newest `capacity` requests. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Adds a request, which is shown once its response has ended. */
  write(entry: Recorded): void {
    entry.id = ++this.#lastId;
    this.#entries.push(entry);
    // Remove older entries together, because shifting the array for each request costs more.
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

  /** Returns the entries that meet the filter, oldest first. */
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

/** A request as the journal shows it, without secrets. */
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
     * The path, for an endpoint in the specification's words, else as it was sent. Parts that may
     * be secret or personal are refs or `…`.
     */
    path: shownPath(entry, sent, parameters),
    /** The query, with refs and `…` as in the path; empty if there is none. */
    query: shownQuery(entry.query, refer),
    /** Parameters that may be shown, and refs of names that belong to a person. */
    parameters,
    /** Names of parameters in the URL that hold a secret. */
    secretsInUrl: secretsIn(new URLSearchParams(entry.query).keys()),
    /** Whether a parameter of the path was percent-encoded twice. */
    isEncodedTwice: Object.values(params).some((value) => ESCAPE.test(value)),
    /** Ref that is equal for requests with equal method, URL and body. */
    requestRef: refer("request", request),
    /** Ref that is equal for requests over one connection. */
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
    /** Refs of the codes and tokens that the request issued. */
    issued: refs(facts.issued),
    /** Refs of the codes and refresh tokens that the request redeemed. */
    used: refs(facts.used),
    /** Whether a fault made the redirect carry a state that differs from the request's. */
    isForged: facts.isForged,
    /** Ref of the requested change id. */
    cursor: ref("cursor", facts.cursor),
    /** Ref of the change id in the response. */
    nextCursor: ref("cursor", facts.nextCursor),
    /** Whether the page was empty; null if the response is not a page of a stream. */
    isEmpty: facts.isEmpty ?? null,
  };
};

/** Makes the facts of a request that has just arrived. */
export const noFacts = (): Facts => ({
  sendsSecret: false,
  misplaced: [],
  issued: [],
  used: [],
  isForged: false,
});

/** A request as the journal keeps it. Instants and refs are formatted when it is read. */
export type Recorded = ReturnType<typeof entryOf>;

/** Makes the entry of an exchange. `elapsedMillis` is the real time since the start. */
export const entryOf = (exchange: Exchange, elapsedMillis: number) => {
  const { connection, facts, headers, listener, match, method, now, query } = exchange;
  const { identity, tokenHash } = exchange.credentials;
  const isEndpoint = match?.name !== undefined;
  return {
    /** Set by `Journal.write`; ascending from 1. */
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
    /** HTTP status; null if the connection ended without a response. */
    status: null as number | null,
    /** Message of a refusal, without values of the request; null for other responses. */
    reason: null as string | null,
    durationMillis: 0,
    /** Id of the client, if it is registered. */
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
    /** False if the response was cut, or has not ended. */
    isWhole: false,
    isEnded: false,
  };
};

/** Adds status, size, reason and `Retry-After` of the response to an entry. */
export const noteResponse = (entry: Recorded, { body, headers, status }: HttpServerResponse) => {
  entry.status = status;
  entry.clientId = entry.facts.client ?? null;
  entry.bytes = body._tag === "Uint8Array" ? body.contentLength : 0;
  if (status >= 300) {
    const text = body._tag === "Uint8Array" ? (body.text ?? "") : "";
    entry.reason = reasonOf({ status, location: headers["location"], text });
  }
  const wait = headers["retry-after"];
  // A fault may send any other text, which the audit cannot measure.
  if (wait !== undefined && /^\d+(?:\.\d+)?$/u.test(wait))
    entry.retryAfterMillis = Number(wait) * 1000;
};

/** Text as long as a token, which is hidden in `User-Agent`. No program has so long a name. */
const LONG_WORD = /[\w~+/=-]{40,}/gu;

/** Returns the parameters of path and query by name, without repeated ones. */
const parametersOf = (query: string, params: Parameters): Parameters => {
  if (query === "") return params;
  const search = new URLSearchParams(query);
  const once = [...search].filter(([name]) => search.getAll(name).length === 1);
  return { ...Object.fromEntries(once), ...params };
};

/** An escape that is left in a parameter of a path after decoding (RFC 3986 §2.4). */
const ESCAPE = /%[0-9a-f]{2}/iu;

/** Returns a text that is equal for equal requests. Of the body it has length and hash. */
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
/** Text that may be shown: short words or a number, which cannot be a token. */
const WORD = /^(?:[\p{L} _.-]{0,19}|\d{1,10})$/u;

/** Returns a segment of an unknown path, or a parameter's name; `…` if it may be a token. */
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

/** Words, numbers and names of at most 40 characters. A token has 43. */
const HARMLESS = /^[\p{L}\p{N} _:.,'()-]{1,40}$/u;

/** Returns the parameters that may be shown, because they cannot be secrets. */
export const shownParameters = (
  parameters: Iterable<readonly [string, unknown]>,
): Readonly<Record<string, string>> => {
  const harmless: Record<string, string> = {};
  for (const [name, value] of parameters)
    // Show a value that was encoded twice as it is, so that the developer sees the mistake.
    if (SHOWN_PARAMETERS.has(name) && typeof value === "string" && HARMLESS.test(decoded(value)))
      harmless[name] = value;
  return harmless;
};

/** Returns the parameters that may be shown, and refs of names that belong to a person. */
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

/** Returns the names of secrets. `code` is none of them, because redirects have it in the query. */
const secretsIn = (names: Iterable<string>): ReadonlyArray<string> =>
  [...names].filter((name) => SECRET_PARAMETERS.has(name));

/** Returns a matched path with refs and `…`, or the harmless segments of any other path. */
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

/** Returns a query in which values that may be secret or personal are refs or `…`. */
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
/** Quotation in a message, which may be from the request. Only short words are shown. */
const QUOTED = /"([^"]*)"/gu;
const QUOTED_WORDS = /^[\p{L} _.-]{0,19}$/u;
/** Text that may be a token, except for the media type in the service's own messages. */
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
