/**
 * Everything that can go wrong between the service and a sink, as one closed union.
 *
 * Each error says whether asking again may help (`retryable`); the follower decides by that, never
 * by the name. What is retryable is retried inside the follower, so a program sees an error of this
 * union only when a policy says `halt`, when a bound of the options is reached, or when its sink or
 * lease is gone.
 */
import * as Schema from "effect/Schema";

/** The connection could not be made, or broke before the first byte of the answer. */
export class TransportError extends Schema.TaggedError<TransportError>()("TransportError", {
  cause: Schema.optionalKey(Schema.Defect()),
}) {
  /** Asking again may help. */
  readonly retryable = true;
  override get message() {
    const detail = this.cause instanceof Error ? `: ${this.cause.message}` : "";
    return `The connection failed${detail}`;
  }
}

/**
 * A timer of the fetch ran out: no answer, no further bytes, too few bytes, or too long altogether.
 */
export class Timeout extends Schema.TaggedError<Timeout>()("Timeout", {
  kind: Schema.Literals(["ttfb", "stall", "throughput", "total"]),
}) {
  /** Asking again may help. */
  readonly retryable = true;
  override get message() {
    return `The page was given up by the ${this.kind} timer.`;
  }
}

/**
 * HTTP 429: wait at least `retryAfterMillis`, or as long as the follower's own backoff when the
 * service named no time.
 */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  retryAfterMillis: Schema.optionalKey(Schema.Number),
}) {
  /** Asking again later helps. */
  readonly retryable = true;
  override get message() {
    return "The service asks for fewer requests.";
  }
}

/** HTTP 401 that a renewed token did not cure. */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", {}) {
  /** A new token is needed first (§7). */
  readonly retryable = false;
  override get message() {
    return "The access token is expired or revoked; a new one must be generated.";
  }
}

/** HTTP 403: the token lacks the scope of the stream (`service:psapi`, `service:cxapi`; §7). */
export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", {
  scope: Schema.String,
}) {
  /** A token with the right scope is needed first. */
  readonly retryable = false;
  override get message() {
    return `The token lacks the scope ${this.scope}.`;
  }
}

/** The service answered an id that it gave us, or that the program named, with a 4xx. */
export class IdRejected extends Schema.TaggedError<IdRejected>()("IdRejected", {
  id: Schema.String,
  status: Schema.Number,
}) {
  /** Three spaced tries are made; after them the policy `onIdRejected` decides. */
  readonly retryable = false;
  override get message() {
    return `The service does not accept the id ${JSON.stringify(this.id)} (HTTP ${this.status}).`;
  }
}

/** HTTP 5xx, or a status that no answer of the stream has. */
export class ServerError extends Schema.TaggedError<ServerError>()("ServerError", {
  status: Schema.Number,
  retryAfterMillis: Schema.optionalKey(Schema.Number),
}) {
  /** Asking again may help. */
  readonly retryable = true;
  override get message() {
    return `The service answered HTTP ${this.status}.`;
  }
}

/** The body ended early: cut connection, wrong Content-Length, or a checksum that does not fit. */
export class TruncatedBody extends Schema.TaggedError<TruncatedBody>()("TruncatedBody", {
  received: Schema.Number,
  detail: Schema.String,
}) {
  /** The same id is asked for again. */
  readonly retryable = true;
  override get message() {
    return `The body broke off after ${this.received} bytes: ${this.detail}.`;
  }
}

/** The body is not what its Content-Encoding says. */
export class DecompressError extends Schema.TaggedError<DecompressError>()("DecompressError", {
  encoding: Schema.String,
  detail: Schema.String,
}) {
  /** The same id is asked for again. */
  readonly retryable = true;
  override get message() {
    return `The body is not ${this.encoding}: ${this.detail}.`;
  }
}

/**
 * A page larger than `maxPageBytes`, on the wire or inflated. `head` holds its first bytes,
 * inflated.
 */
export class OversizedPage extends Schema.TaggedError<OversizedPage>()("OversizedPage", {
  limit: Schema.Number,
  stage: Schema.Literals(["wire", "inflated"]),
  head: Schema.Uint8Array,
}) {
  /** Three spaced tries are made; after them the policy `onOversized` decides. */
  readonly retryable = false;
  override get message() {
    return `The page is larger than ${this.limit} bytes (${this.stage}).`;
  }
}

/** A whole body that is not a page: not JSON, or without `next_change_id` and its list. */
export class MalformedPage extends Schema.TaggedError<MalformedPage>()("MalformedPage", {
  detail: Schema.String,
  headId: Schema.optionalKey(Schema.String),
  raw: Schema.Uint8Array,
}) {
  /** Three spaced tries are made; after them the page is quarantined, or the follower halts. */
  readonly retryable = false;
  override get message() {
    return `The body is not a page of the stream: ${this.detail}.`;
  }
}

/** The thread that was decoding a page ended: out of time, killed, or by a defect. */
export class DecoderLost extends Schema.TaggedError<DecoderLost>()("DecoderLost", {
  detail: Schema.String,
}) {
  /**
   * The same id is asked for again, on a new thread. A page that ends a second one is taken for
   * malformed.
   */
  readonly retryable = true;
  override get message() {
    return `The thread that decodes pages ended: ${this.detail}.`;
  }
}

/** The service broke a rule of its stream (§4.2). */
export class ProtocolViolation extends Schema.TaggedError<ProtocolViolation>()(
  "ProtocolViolation",
  {
    kind: Schema.Literals(["SameIdWithData", "Backwards", "Cycle", "HintMismatch"]),
    id: Schema.String,
    nextId: Schema.String,
  },
) {
  /** What happens is a policy: `onCycle`. */
  readonly retryable = false;
  override get message() {
    return `The stream broke its rules (${this.kind}): ${this.id} was followed by ${this.nextId}.`;
  }
}

/**
 * A part of the history that was not read; written beside the rows, and an error only under the
 * policy `halt`.
 */
export class HistoryGap extends Schema.TaggedError<HistoryGap>()("HistoryGap", {
  kind: Schema.Literals(["skipped", "restarted", "jumped"]),
  from: Schema.String,
  to: Schema.String,
}) {
  /** The service removed it; asking again does not bring it back. */
  readonly retryable = false;
  override get message() {
    return `History between ${this.from} and ${this.to} was not read (${this.kind}).`;
  }
}

/**
 * The sink failed. `retryable` is false for a full disk and for a store that is newer than this
 * program.
 */
export class SinkError extends Schema.TaggedError<SinkError>()("SinkError", {
  operation: Schema.String,
  reason: Schema.Literals(["unavailable", "diskFull", "incompatible", "internal"]),
  cause: Schema.optionalKey(Schema.Defect()),
}) {
  /** Only an unavailable store is worth waiting for. */
  get retryable(): boolean {
    return this.reason === "unavailable";
  }
  override get message() {
    const detail = this.cause instanceof Error ? `: ${this.cause.message}` : "";
    return `The sink's ${this.operation} failed (${this.reason})${detail}`;
  }
}

/**
 * The store stands elsewhere than this follower believes: a newer follower owns it, and nothing was
 * written.
 */
export class Fenced extends Schema.TaggedError<Fenced>()("Fenced", {
  epoch: Schema.Number,
  /** The epoch that stands in the store, where the sink knows it. */
  fence: Schema.optionalKey(Schema.Number),
  detail: Schema.String,
}) {
  /** This follower must claim the stream again before it writes. */
  readonly retryable = false;
  override get message() {
    return `A newer owner stopped epoch ${this.epoch}: ${this.detail}.`;
  }
}

/** The lease expired or was taken; the follower stops writing and stands by. */
export class LeaseLost extends Schema.TaggedError<LeaseLost>()("LeaseLost", {
  epoch: Schema.Number,
}) {
  /** The lease must be taken again first. */
  readonly retryable = false;
  override get message() {
    return `The lease of epoch ${this.epoch} is lost.`;
  }
}

/**
 * The stream made no progress for `tries` answers that each held data: a loop that only a person
 * can judge.
 */
export class StuckStream extends Schema.TaggedError<StuckStream>()("StuckStream", {
  id: Schema.String,
  tries: Schema.Number,
}) {
  /** The loop guard has already waited. */
  readonly retryable = false;
  override get message() {
    return `The stream stands at ${this.id} after ${this.tries} answers.`;
  }
}

/**
 * An address that names none of the stores: neither `sqlite:FILE`, `postgres://…` nor
 * `jsonl:FOLDER`.
 */
export class StoreAddressInvalid extends Schema.TaggedError<StoreAddressInvalid>()(
  "StoreAddressInvalid",
  {},
) {
  /** Another address is needed. */
  readonly retryable = false;
  override get message() {
    // The address is not repeated: it may hold a password.
    return "The store is neither sqlite:FILE, postgres://… nor jsonl:FOLDER.";
  }
}

/** A store, or a stream in it, that no follower has written to. */
export class NothingFollowed extends Schema.TaggedError<NothingFollowed>()("NothingFollowed", {
  /** `source/realm`. */
  stream: Schema.String,
  /** The store's address, for people. */
  store: Schema.String,
  /** What is not there: any stream at all, or this one. */
  missing: Schema.Literals(["store", "stream"]),
}) {
  /** Somebody must follow the stream first. */
  readonly retryable = false;
  override get message() {
    return this.missing === "store"
      ? `Nothing was followed into ${this.store} yet.`
      : `${this.store} holds nothing of ${this.stream}.`;
  }
}

/** What opening or reading one page may fail with. */
export type FetchError =
  | TransportError
  | Timeout
  | RateLimited
  | Unauthorized
  | Forbidden
  | IdRejected
  | ServerError
  | TruncatedBody
  | DecompressError
  | OversizedPage
  | DecoderLost
  | MalformedPage;

/** What a stream of pages may fail with. */
export type FollowError = FetchError | ProtocolViolation | HistoryGap | StuckStream;

/** What following into a sink may fail with. */
export type RunError = FollowError | SinkError | Fenced | LeaseLost;
