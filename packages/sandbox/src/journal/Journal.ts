/**
 * The journal of requests: what was asked, how it was answered, and which policy and faults had a
 * hand in it.
 *
 * It never holds a secret, by construction: an entry has no room for a header, a body or a query
 * string. Tokens, codes, ids and other values appear as refs such as `token#3`, an ordinal per kind
 * in this run: the same value has the same ref, and the ref tells nothing. The newest entries are
 * kept, older ones fall out.
 */
import { isoInstant } from "../internal/instants.ts";
import { LruCache } from "../internal/LruCache.ts";

/** Kind of the value behind a ref. */
export type RefKind =
  | "token"
  | "refresh"
  | "code"
  | "cursor"
  | "state"
  | "challenge"
  | "request"
  | "connection"
  | "value";

/** A value behind a ref: a hash of it, or the value itself where it is no secret. */
interface Referent {
  readonly kind: RefKind;
  readonly hash: string;
}

/** Facts about a request that handlers add to those that the pipeline sees. */
export interface Facts {
  client: string | undefined;
  account: string | undefined;
  scopes: ReadonlyArray<string> | undefined;
  grantType: string | undefined;
  sendsSecret: boolean;
  state: string | undefined;
  challenge: string | undefined;
  challengeMethod: string | undefined;
  readonly issued: Array<Referent>;
  readonly used: Array<Referent>;
  /** Whether the redirect carries another state than the request did. */
  isForged: boolean;
  cursor: string | undefined;
  nextCursor: string | undefined;
  isEmpty: boolean | undefined;
}

/** Facts of a request before anything is known. */
export const noFacts = (): Facts => ({
  client: undefined,
  account: undefined,
  scopes: undefined,
  grantType: undefined,
  sendsSecret: false,
  state: undefined,
  challenge: undefined,
  challengeMethod: undefined,
  issued: [],
  used: [],
  isForged: false,
  cursor: undefined,
  nextCursor: undefined,
  isEmpty: undefined,
});

/** One request. */
export interface JournalEntry {
  /** Ascending, from 1. */
  readonly id: number;
  /** Begin of the request, virtual time, ISO 8601. */
  readonly at: string;
  /** Real milliseconds between the start of the sandbox and the request. */
  readonly elapsedMillis: number;
  readonly listener: "auth" | "data";
  readonly method: string;
  /** The path as it was sent; what may be a secret or a person's is a ref, or `…`. */
  readonly path: string;
  /** The query in the same way; empty when there is none. */
  readonly query: string;
  /** Path template; null when no route matched. */
  readonly route: string | null;
  /** `group.endpoint` in the contract's names. */
  readonly endpoint: string | null;
  /** Words of the specification as they were sent; any other value as a ref. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Equal for requests with equal method, URL and body. */
  readonly requestRef: string;
  /** Equal for requests over one connection. */
  readonly connection: string;
  /** When that connection was accepted, like `elapsedMillis`; null where there is none. */
  readonly connectedMillis: number | null;
  /** Null when the connection ended without an answer. */
  readonly status: number | null;
  readonly durationMillis: number;
  /** Id of a registered client. */
  readonly clientId: string | null;
  /** Name of the account. */
  readonly account: string | null;
  /** Ref of the access token that was sent. */
  readonly token: string | null;
  /** Scopes of the access token that was sent, or of the one that was issued. */
  readonly scopes: ReadonlyArray<string>;
  readonly grantType: string | null;
  /** Whether a client secret was sent, in the form or by HTTP Basic. */
  readonly sendsSecret: boolean;
  /** Ref of the `state` of an authorization request. */
  readonly state: string | null;
  /** Ref of the `code_challenge` of an authorization request. */
  readonly challenge: string | null;
  readonly challengeMethod: string | null;
  /** Refs of tokens that were issued. */
  readonly issued: ReadonlyArray<string>;
  /** Refs of codes and refresh tokens that were used. */
  readonly used: ReadonlyArray<string>;
  /** Whether the redirect carries another state than the request did (a fault). */
  readonly isForged: boolean;
  /** Ref of the change id that was asked for. */
  readonly cursor: string | null;
  /** Ref of the change id that was answered. */
  readonly nextCursor: string | null;
  /** Whether a page was empty. */
  readonly isEmpty: boolean | null;
  /** Names of parameters in the URL that hold a secret. */
  readonly secretsInUrl: ReadonlyArray<string>;
  /** Names of cookies that hold one. */
  readonly secretsInCookie: ReadonlyArray<string>;
  /** Whether a compressed response was asked for. */
  readonly acceptsCoding: boolean;
  /** Whether the control plane sent the request in a person's place. */
  readonly byControl: boolean;
  readonly userAgent: string | null;
  readonly retryAfterMillis: number | null;
  readonly policy: string | null;
  /** Refused by that policy. */
  readonly limited: boolean;
  /** Names of the rules that fired. */
  readonly faults: ReadonlyArray<string>;
  /** Bytes of the response's body. */
  readonly bytes: number;
  /** Whether the response was sent whole. */
  readonly isWhole: boolean;
}

/** A request as it is kept: instants and refs are written out when somebody reads them. */
export interface Recorded {
  id: number;
  readonly at: number;
  readonly elapsedMillis: number;
  readonly listener: "auth" | "data";
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly route: string | null;
  readonly endpoint: string | null;
  readonly parameters: Readonly<Record<string, string>>;
  readonly request: string;
  readonly connection: string;
  readonly connectedMillis: number | null;
  status: number | null;
  durationMillis: number;
  readonly clientId: string | null;
  readonly account: string | null;
  readonly tokenHash: string | undefined;
  readonly scopes: ReadonlyArray<string>;
  readonly facts: Facts;
  readonly secretsInUrl: ReadonlyArray<string>;
  readonly secretsInCookie: ReadonlyArray<string>;
  readonly acceptsCoding: boolean;
  readonly byControl: boolean;
  readonly userAgent: string | null;
  readonly retryAfterMillis: number | null;
  readonly policy: string | null;
  readonly limited: boolean;
  readonly faults: ReadonlyArray<string>;
  bytes: number;
  isWhole: boolean;
  /** Whether the response has ended. */
  isEnded: boolean;
}

/** Which entries are wanted; all conditions have to hold. */
export interface JournalFilter {
  readonly since?: number | undefined;
  readonly limit?: number | undefined;
  readonly endpoint?: string | undefined;
  readonly clientId?: string | undefined;
  readonly status?: number | undefined;
}

/** Maximum number of refs of a kind that are remembered. */
const MAX_REFS = 100_000;

/** The journal of a running sandbox. */
export class Journal {
  readonly #entries: Ring<Recorded>;
  readonly #refs = new Map<RefKind, { last: number; readonly known: LruCache<string> }>();
  readonly #listeners = new Set<(entry: JournalEntry) => void>();
  #lastId = 0;

  /** A journal of the newest `capacity` requests. */
  constructor(capacity = 1000) {
    this.#entries = new Ring(capacity);
  }

  /** Keeps a request. It is shown once its response has ended. */
  write(entry: Recorded): void {
    entry.id = ++this.#lastId;
    this.#entries.push(entry);
  }

  /** Tells that the response of a request has ended. */
  end(entry: Recorded): void {
    entry.isEnded = true;
    if (this.#listeners.size === 0) return;
    const shown = this.#shown(entry);
    for (const listener of this.#listeners) listener(shown);
  }

  /** The entries that are wanted, oldest first. */
  read(filter: JournalFilter = {}): ReadonlyArray<JournalEntry> {
    const { clientId, endpoint, limit, since, status } = filter;
    const wanted = this.#entries
      .toArray()
      .filter(
        (entry) =>
          entry.isEnded &&
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

  /** Paths of requests that no route matched, oldest first. */
  unmatched(): ReadonlyArray<Pick<Recorded, "id" | "listener" | "method" | "path" | "status">> {
    return this.#entries
      .toArray()
      .filter(({ endpoint, listener, status }) =>
        listener === "data" ? endpoint === null : status === 404,
      );
  }

  /** Calls `listener` for each request that ends from now on, until the result is called. */
  subscribe(listener: (entry: JournalEntry) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Forgets all entries. */
  clear(): void {
    this.#entries.clear();
    this.#refs.clear();
    this.#lastId = 0;
  }

  #shown(entry: Recorded): JournalEntry {
    const { facts } = entry;
    const ref = (kind: RefKind, value: string | undefined): string | null =>
      value === undefined ? null : this.#ref(kind, value);
    const refs = (list: ReadonlyArray<Referent>) =>
      list.map(({ hash, kind }) => this.#ref(kind, hash));
    return {
      id: entry.id,
      at: isoInstant(entry.at),
      elapsedMillis: entry.elapsedMillis,
      listener: entry.listener,
      method: entry.method,
      path: this.#path(entry),
      query: this.#query(entry.query),
      route: entry.route,
      endpoint: entry.endpoint,
      parameters: this.#parameters(entry.parameters),
      requestRef: this.#ref("request", entry.request),
      connection: this.#ref("connection", entry.connection),
      connectedMillis: entry.connectedMillis,
      status: entry.status,
      durationMillis: entry.durationMillis,
      clientId: entry.clientId ?? facts.client ?? null,
      account: entry.account ?? facts.account ?? null,
      token: ref("token", entry.tokenHash),
      scopes: facts.scopes ?? entry.scopes,
      grantType: facts.grantType ?? null,
      sendsSecret: facts.sendsSecret,
      state: ref("state", facts.state),
      challenge: ref("challenge", facts.challenge),
      challengeMethod: facts.challengeMethod ?? null,
      issued: refs(facts.issued),
      used: refs(facts.used),
      isForged: facts.isForged,
      cursor: ref("cursor", facts.cursor),
      nextCursor: ref("cursor", facts.nextCursor),
      isEmpty: facts.isEmpty ?? null,
      secretsInUrl: entry.secretsInUrl,
      secretsInCookie: entry.secretsInCookie,
      acceptsCoding: entry.acceptsCoding,
      byControl: entry.byControl,
      userAgent: entry.userAgent,
      retryAfterMillis: entry.retryAfterMillis,
      policy: entry.policy,
      limited: entry.limited,
      faults: entry.faults,
      bytes: entry.bytes,
      isWhole: entry.isWhole,
    };
  }

  #parameters(parameters: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const shown = shownParameters(Object.entries(parameters));
    return Object.fromEntries(
      Object.entries(parameters)
        .filter(([name]) => name in shown || REFERRED_PARAMETERS.has(name))
        .map(([name, value]) => [name, shown[name] ?? this.#ref("value", `${name}=${value}`)]),
    );
  }

  /** A matched path with its parameters as they may be shown; of any other one the segments. */
  #path({ parameters, path, route }: Recorded): string {
    const segments = path.slice(0, MAX_PATH).split("/");
    if (route === null) return segments.map(shownSegment).join("/");
    const shown = this.#parameters(parameters);
    const named = route.split("/").filter((part) => part !== "" && !part.startsWith(":"));
    const words = new Set(named);
    const values = new Map(
      Object.entries(parameters).map(([name, value]) => [value, shown[name] ?? "…"] as const),
    );
    return segments
      .map((segment) => {
        const text = decoded(segment);
        return words.has(text) || text === "" ? text : (values.get(text) ?? "…");
      })
      .join("/");
  }

  #query(query: string): string {
    if (query === "") return "";
    const parameters = Object.fromEntries(new URLSearchParams(query));
    const shown = this.#parameters(parameters);
    return Object.keys(parameters)
      .slice(0, MAX_PARAMETERS)
      .map((name) => `${shownSegment(name)}=${shown[name] ?? "…"}`)
      .join("&");
  }

  #ref(kind: RefKind, value: string): string {
    let refs = this.#refs.get(kind);
    if (refs === undefined)
      this.#refs.set(kind, (refs = { last: 0, known: new LruCache(MAX_REFS) }));
    const counted = refs;
    return counted.known.get(value, () => `${kind}#${++counted.last}`);
  }
}

/**
 * Parameters of paths and queries that may be shown. `code`, `state`, tokens and the like are not
 * among them.
 */
const SHOWN_PARAMETERS: ReadonlySet<string> = new Set([
  "realm",
  "league",
  "limit",
  "offset",
  "sort",
  "class",
  "type",
  "season",
  "validate",
  "grant_type",
  "scope",
  "response_type",
]);

/** Parameters of the contract that are shown as refs. */
const REFERRED_PARAMETERS: ReadonlySet<string> = new Set([
  "league",
  "name",
  "match",
  "stash_id",
  "substash_id",
  "season",
]);

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
    if (SHOWN_PARAMETERS.has(name) && typeof value === "string" && HARMLESS.test(value))
      harmless[name] = value;
  return harmless;
};

/** Names of parameters that hold a secret, which no URL may carry (§5). */
const SECRET_PARAMETERS: ReadonlySet<string> = new Set([
  "access_token",
  "refresh_token",
  "client_secret",
  "code_verifier",
  "token",
]);

/** The names of secrets in a query. A code in the query is the server's own redirect. */
export const secretsIn = (names: Iterable<string>): ReadonlyArray<string> =>
  [...names].filter((name) => SECRET_PARAMETERS.has(name));

/** A list that keeps its newest entries. */
class Ring<A> {
  readonly #capacity: number;
  #entries: Array<A> = [];
  #next = 0;

  constructor(capacity: number) {
    this.#capacity = Math.max(1, capacity);
  }

  push(entry: A): void {
    this.#entries[this.#next] = entry;
    this.#next = (this.#next + 1) % this.#capacity;
  }

  toArray(): ReadonlyArray<A> {
    return this.#entries.length < this.#capacity
      ? this.#entries
      : [...this.#entries.slice(this.#next), ...this.#entries.slice(0, this.#next)];
  }

  clear(): void {
    this.#entries = [];
    this.#next = 0;
  }
}
