/**
 * The errors of following a stream, of its stores and of their readers.
 *
 * `reason` separates causes that need the same reaction, and `stream` is `source/realm`. The
 * follower retries an error while `isRetryable` is true, so a run fails with such an error only
 * after `maxRetries`. `help` is the address of a page that describes what to do.
 */
import { taggedFailures } from "@game-data/contract/taggedFailure";
import type * as Duration from "effect/Duration";

const taggedFailure = taggedFailures("stream-follower");

/** No page was received, and a retry may help. */
export class PageUnavailable extends taggedFailure("PageUnavailable", true)<{
  /**
   * - `connection`: the connection failed.
   * - `rateLimited`: HTTP 429.
   * - `server`: HTTP 5xx, or another status that a page does not have.
   * - `blocked`: a firewall or proxy responded instead of the service.
   */
  readonly reason: "connection" | "rateLimited" | "server" | "blocked";
  readonly status?: number | undefined;
  readonly retryAfter?: Duration.Duration | undefined;
  /** Media type and `Server` header of a response that is `blocked`. */
  readonly answeredBy?: string | undefined;
  readonly cause?: unknown;
}> {
  override get message(): string {
    const { answeredBy, cause, reason, status } = this;
    if (reason === "rateLimited") return "The service is rate limiting requests (HTTP 429).";
    if (reason === "server") return `The service responded with HTTP ${status}.`;
    if (reason === "connection") return `The connection to the service failed${detail(cause)}`;
    const responder = answeredBy === undefined ? "" : ` (${answeredBy})`;
    return `Something in front of the service responded with HTTP ${status}${responder}.`;
  }
}

/**
 * The status line (`response`), the next bytes (`stall`) or the end of the body (`total`) of a page
 * did not arrive in time.
 */
export class PageTimeout extends taggedFailure("PageTimeout", true)<{
  readonly reason: "response" | "stall" | "total";
}> {
  override get message(): string {
    return `The page was not received in time (${this.reason} timeout).`;
  }
}

/** HTTP 401 in spite of a renewed token (`unauthorized`), or HTTP 403 (`forbidden`). */
export class PageRefused extends taggedFailure("PageRefused")<{
  readonly reason: "unauthorized" | "forbidden";
  readonly scope?: string | undefined;
  readonly cause?: unknown;
}> {
  override get message(): string {
    return this.reason === "unauthorized"
      ? "The access token is expired or revoked. Generate a new one."
      : `The access token lacks the scope ${this.scope ?? "of the stream"}.`;
  }
}

/** The service rejected a change id with a 4xx status several times. */
export class ChangeIdRejected extends taggedFailure("ChangeIdRejected")<{
  readonly id: string;
  readonly status: number;
  /** The message of the service, if its response had a message. */
  readonly detail?: string | undefined;
}> {
  override get message(): string {
    const { detail, id, status } = this;
    const reason = detail === undefined ? "" : `: ${JSON.stringify(detail)}`;
    return `The service rejects the change id ${JSON.stringify(id)} (HTTP ${status})${reason}.`;
  }
}

/** The body of a page ended early, or its checksum does not match. */
export class TruncatedBody extends taggedFailure("TruncatedBody", true)<{
  readonly received: number;
  readonly detail: string;
}> {
  override get message(): string {
    return `The body ended after ${this.received} bytes: ${this.detail}.`;
  }
}

/** The body of a page is not in the format of its `Content-Encoding`. */
export class DecompressError extends taggedFailure("DecompressError", true)<{
  readonly encoding: string;
  readonly detail: string;
}> {
  override get message(): string {
    return `The body is not valid ${this.encoding}: ${this.detail}.`;
  }
}

/** A page is larger than `maxPageBytes`, on the wire or inflated. */
export class PageTooLarge extends taggedFailure("PageTooLarge")<{
  readonly limit: number;
  readonly reason: "wire" | "inflated";
}> {
  override get message(): string {
    return `The page is larger than ${this.limit} bytes (${this.reason}).`;
  }
}

/**
 * A whole body is not a page: it is not JSON, or lacks `next_change_id` or its list. After a few
 * requests the page is quarantined if its next id is readable, else the follower halts.
 */
export class MalformedPage extends taggedFailure("MalformedPage")<{
  readonly detail: string;
  /** The next change id, if it can be read from the body. */
  readonly headId?: string | undefined;
  readonly raw: Uint8Array;
}> {
  override get message(): string {
    return `The body is not a page of the stream: ${this.detail}.`;
  }
}

/**
 * A change id led backwards or in a circle, or returned the same page with stashes again, although
 * only an empty page is the end of the stream. The follower requests the id again every minute.
 */
export class ProtocolViolation extends taggedFailure("ProtocolViolation", true)<{
  readonly reason: "backwards" | "cycle" | "repeated";
  readonly id: string;
  readonly nextId: string;
}> {
  override get message(): string {
    return `The stream broke its rules (${this.reason}): ${this.id} was followed by ${this.nextId}.`;
  }
}

/** The stream stayed at one id although each of `tries` responses held new data. */
export class StuckStream extends taggedFailure("StuckStream")<{
  readonly id: string;
  readonly tries: number;
}> {
  override get message(): string {
    return `The stream stays at ${this.id} after ${this.tries} responses.`;
  }
}

/**
 * Why a store failed:
 * - `unavailable`: down, restarting, hanging or busy. Retried.
 * - `diskFull`: no space left. Retried.
 * - `rowRejected`: the store can never accept one of the rows.
 * - `incompatible`: another version of this package, or another program, wrote the store.
 * - `replaced`: the file was deleted or replaced while it was open.
 * - `corrupt`: the store is damaged.
 * - `internal`: a defect of this package, or a missing permission.
 */
export type SinkErrorReason =
  | "unavailable"
  | "diskFull"
  | "rowRejected"
  | "incompatible"
  | "replaced"
  | "corrupt"
  | "internal";

/** The store failed. `reason` says whether a retry can help. */
export class SinkError extends taggedFailure("SinkError")<{
  readonly operation: string;
  readonly reason: SinkErrorReason;
  readonly cause?: unknown;
}> {
  override get isRetryable(): boolean {
    return this.reason === "unavailable" || this.reason === "diskFull";
  }
  override get message(): string {
    return `The store failed in ${this.operation} (${this.reason})${detail(this.cause)}`;
  }
}

/**
 * The store is at another page of the stream, or a newer follower has claimed the stream. Nothing
 * was written.
 */
export class Fenced extends taggedFailure("Fenced")<{
  readonly epoch: number;
  /** The epoch of the store, if the sink knows it. */
  readonly fence?: number | undefined;
  readonly detail: string;
}> {
  override get message(): string {
    return `A newer owner stopped epoch ${this.epoch}: ${this.detail}.`;
  }
}

/** The lease expired, or another process took the lease. */
export class LeaseLost extends taggedFailure("LeaseLost")<{ readonly epoch: number }> {
  override get message(): string {
    return `The lease of epoch ${this.epoch} is lost.`;
  }
}

/** Another process follows the stream, so its checkpoint cannot be moved. */
export class StreamInUse extends taggedFailure("StreamInUse", true)<{
  readonly stream: string;
}> {
  override get message(): string {
    return `Another process follows ${this.stream}. Stop it first.`;
  }
}

/** The address of a store is invalid. The error omits it, because it may hold a password. */
export class InvalidStoreUrl extends taggedFailure("InvalidStoreUrl")<{
  readonly detail?: string | undefined;
}> {
  override get message(): string {
    return `Invalid store: ${this.detail ?? "use sqlite:FILE or postgres://USER@HOST/DATABASE"}.`;
  }
}

/** The npm package of a driver, an optional peer dependency, is not installed. */
export class DriverMissing extends taggedFailure("DriverMissing")<{
  readonly package: string;
  readonly install: string;
  readonly cause?: unknown;
}> {
  override get message(): string {
    return `The package ${this.package} is not installed. Install it: ${this.install}`;
  }
}

/** The store does not hold the stream, because no follower has written it. */
export class StreamNotFound extends taggedFailure("StreamNotFound")<{
  readonly stream: string;
  /** The store's address without its password. */
  readonly store: string;
  /** `store` if the store holds no stream at all, `stream` if it holds other streams. */
  readonly reason: "store" | "stream";
}> {
  override get message(): string {
    return this.reason === "store"
      ? `No stream was followed into ${this.store} yet.`
      : `${this.store} does not hold ${this.stream}.`;
  }
}

/** Pages after a reader's position are no longer in the log. */
export class HistoryExpired extends taggedFailure("HistoryExpired")<{
  readonly stream: string;
  readonly position: bigint;
  /** Number of the oldest page in the log. */
  readonly first: bigint;
}> {
  override get message(): string {
    return `The log of ${this.stream} begins at page ${this.first}; the reader is at ${this.position}.`;
  }
}

/** An indexer cannot apply the page after `after`. The follower still stores pages in the log. */
export class IndexerFailed extends taggedFailure("IndexerFailed")<{
  readonly indexer: string;
  readonly stream: string;
  /** Number of the last page that the indexer has applied. */
  readonly after: bigint;
  readonly detail: string;
}> {
  override get message(): string {
    return `The indexer ${this.indexer} of ${this.stream} cannot apply the page after ${this.after}: ${this.detail}`;
  }
}

/**
 * The log was replaced, or pages were lost: a page does not continue the page before it and no gap is
 * recorded there (`discontinuous`), or it is another page than the reader has applied under its number
 * (`replaced`).
 */
export class ChainBroken extends taggedFailure("ChainBroken")<{
  readonly reason: "discontinuous" | "replaced";
  readonly stream: string;
  /** Number of the unexpected page. */
  readonly version: bigint;
  /** The change id with which this page was requested. */
  readonly requestedId: string | undefined;
}> {
  override get message(): string {
    const page = `Page ${this.version} of ${this.stream}`;
    if (this.reason === "replaced") return `${page} is not the page that its reader has applied.`;
    const id = this.requestedId === undefined ? "the beginning" : JSON.stringify(this.requestedId);
    return `${page} continues ${id}, but the page before does not lead there.`;
  }
}

/** The health server could not listen, for example because its port is in use. */
export class HealthServerFailed extends taggedFailure("HealthServerFailed")<{
  readonly cause?: unknown;
}> {
  override get message(): string {
    return `The health server cannot listen${detail(this.cause)}`;
  }
}

/** Joins the messages of a chain of causes, because a driver's own error may say too little. */
const detail = (cause: unknown): string => {
  const texts: Array<string> = [];
  for (let at = cause; at instanceof Error && texts.length < 4; at = innerCause(at)) {
    // An error of another realm or a subclass may have no message.
    const text = String((at.message as string | undefined) ?? "");
    if (text !== "" && !texts.some((known) => known.includes(text))) texts.push(text);
  }
  return texts.length === 0 ? "." : `: ${texts.join(": ")}`;
};

/** Returns the cause of an error. An `SqlError` keeps its cause in `reason`. */
const innerCause = (error: Error & { readonly reason?: { readonly cause?: unknown } }): unknown =>
  error.cause instanceof Error ? error.cause : error.reason?.cause;

/** Errors of opening or reading one page. */
export type FetchError =
  | PageUnavailable
  | PageTimeout
  | PageRefused
  | ChangeIdRejected
  | TruncatedBody
  | DecompressError
  | PageTooLarge
  | MalformedPage;

/** Errors of reading a stream page by page. */
export type FollowError = FetchError | ProtocolViolation | StuckStream;

/** Errors of following a stream into a sink. */
export type RunError = FollowError | SinkError | Fenced | LeaseLost;
