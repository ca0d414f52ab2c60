/**
 * The journal of requests: what was asked, how it was answered, and which policy and faults had a
 * hand in it.
 *
 * It never holds a secret, by construction: an entry has no room for a header, a body, or a query
 * string. Paths are written as the route's template; of the parameters only those in
 * `SHOWN_PARAMETERS` are kept, for they are words of the specification. The newest entries are
 * kept, older ones fall out.
 */
import * as Context from "effect/Context";
import * as DateTime from "effect/DateTime";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Schema from "effect/Schema";

/** One request. */
export const JournalEntry = Schema.Struct({
  id: Schema.Natural.annotate({ description: "Ascending, from 1" }),
  at: Schema.String.annotate({ description: "Begin of the request, virtual time" }),
  listener: Schema.Literals(["auth", "data"]),
  method: Schema.String,
  route: Schema.NullOr(
    Schema.String.annotate({ description: "Path template; null when no route matched" }),
  ),
  endpoint: Schema.NullOr(Schema.String.annotate({ description: "`group.endpoint`" })),
  parameters: Schema.Record(Schema.String, Schema.String),
  status: Schema.NullOr(
    Schema.Int.annotate({ description: "null when the connection ended without an answer" }),
  ),
  durationMillis: Schema.Finite,
  clientId: Schema.NullOr(Schema.String.annotate({ description: "Of a registered client" })),
  account: Schema.NullOr(Schema.String.annotate({ description: "Name of the account" })),
  policy: Schema.NullOr(Schema.String),
  limited: Schema.Boolean.annotate({ description: "Refused by that policy" }),
  faults: Schema.Array(Schema.String).annotate({ description: "Names of the rules that fired" }),
}).annotate({ identifier: "JournalEntry" });
/** One request. */
export interface JournalEntry extends Schema.Schema.Type<typeof JournalEntry> {}

/** A request as it is kept: instants are written out when somebody reads them. */
interface Noted extends Omit<JournalEntry, "at"> {
  readonly at: number;
}

const shown = ({ at, ...entry }: Noted): JournalEntry => ({
  ...entry,
  at: DateTime.formatIso(DateTime.makeUnsafe(at)),
});

/** Which entries are wanted; all conditions have to hold. */
export interface JournalFilter {
  readonly since?: number | undefined;
  readonly limit?: number | undefined;
  readonly endpoint?: string | undefined;
  readonly clientId?: string | undefined;
  readonly status?: number | undefined;
}

/** The journal of a running sandbox. */
export class Journal extends Context.Service<
  Journal,
  {
    /** Writes an entry down. */
    write(entry: Omit<Noted, "id">): void;
    /** The entries that are wanted, oldest first. */
    read(filter?: JournalFilter): Effect.Effect<ReadonlyArray<JournalEntry>>;
    /** Forgets all entries. */
    readonly clear: Effect.Effect<void>;
  }
>()("@game-data/sandbox/Journal") {
  /** A journal of the newest `capacity` requests. */
  static readonly layer = (capacity = 1000): Layer.Layer<Journal> =>
    Layer.sync(Journal, () => {
      const entries = new Ring<Noted>(capacity);
      let lastId = 0;
      return Journal.of({
        write: (entry) => entries.push({ id: ++lastId, ...entry }),
        read: (filter = {}) => Effect.sync(() => select(entries.toArray(), filter).map(shown)),
        clear: Effect.sync(() => {
          entries.clear();
          lastId = 0;
        }),
      });
    });
}

const select = (
  entries: ReadonlyArray<Noted>,
  { clientId, endpoint, limit, since, status }: JournalFilter,
): ReadonlyArray<Noted> => {
  const wanted = entries.filter(
    (entry) =>
      (since === undefined || entry.id > since) &&
      (clientId === undefined || entry.clientId === clientId) &&
      (status === undefined || entry.status === status) &&
      (endpoint === undefined ||
        entry.endpoint === endpoint ||
        entry.endpoint?.split(".", 1)[0] === endpoint),
  );
  return limit === undefined ? wanted : wanted.slice(Math.max(0, wanted.length - limit));
};

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
