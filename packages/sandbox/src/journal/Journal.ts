/**
 * The journal of requests: each request, its response, and the policy and faults that changed it.
 *
 * It shows no secret, because an entry has no header, body or secret of a query. Tokens, codes, ids
 * and other values are shown as refs such as `token#3`, an ordinal for each kind in this run. Equal
 * values have the same ref, and a ref does not reveal its value. The newest entries are kept.
 */
import type { Referent, RefKind } from "../http/Exchange.ts";
import { isoInstant } from "../internal/instants.ts";
import { LruCache } from "../internal/LruCache.ts";
import type { Recorded } from "./entry.ts";
import type { JournalEntry } from "./entry.ts";
import { REFERRED_PARAMETERS, shownParameters, shownPath, shownQuery } from "./shown.ts";

/** Conditions of the wanted entries; all must hold. */
export interface JournalFilter {
  readonly since?: number | undefined;
  readonly limit?: number | undefined;
  readonly endpoint?: string | undefined;
  readonly clientId?: string | undefined;
  readonly status?: number | undefined;
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
    const { clientId, endpoint, limit, since, status, underWay = false } = filter;
    const wanted = this.#newest().filter(
      (entry) =>
        (entry.isEnded || underWay) &&
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

  /** Ids by the value of a secret that requests carried, for comparison within this process alone. */
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
    const { at, facts, isEnded: _, request, tokenHash, ...told } = entry;
    const ref = (kind: RefKind, value: string | undefined): string | null =>
      value === undefined ? null : this.#ref(kind, value);
    const refs = (list: ReadonlyArray<Referent>) =>
      list.map(({ hash, kind }) => this.#ref(kind, hash));
    const parameters = this.#parameters(entry.parameters);
    return {
      ...told,
      at: isoInstant(at),
      path: shownPath(entry, parameters),
      query: shownQuery(entry.query, (query) => this.#parameters(query)),
      parameters,
      requestRef: this.#ref("request", request),
      connection: this.#ref("connection", entry.connection),
      clientId: entry.clientId ?? facts.client ?? null,
      account: entry.account ?? facts.account ?? null,
      token: ref("token", tokenHash),
      scopes: facts.scopes ?? entry.scopes,
      grantType: facts.grantType ?? null,
      sendsSecret: facts.sendsSecret,
      state: ref("state", facts.state),
      challenge: ref("challenge", facts.challenge),
      challengeMethod: facts.challengeMethod ?? null,
      verifierStart: ref("verifier", facts.verifierStart),
      isVerifierWeak: facts.isVerifierWeak ?? false,
      misplaced: facts.misplaced,
      issued: refs(facts.issued),
      used: refs(facts.used),
      isForged: facts.isForged,
      cursor: ref("cursor", facts.cursor),
      nextCursor: ref("cursor", facts.nextCursor),
      isEmpty: facts.isEmpty ?? null,
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

  #ref(kind: RefKind, value: string): string {
    let refs = this.#refs.get(kind);
    if (refs === undefined)
      this.#refs.set(kind, (refs = { last: 0, known: new LruCache(MAX_REFS) }));
    const counted = refs;
    return counted.known.get(value, () => `${kind}#${++counted.last}`);
  }
}
