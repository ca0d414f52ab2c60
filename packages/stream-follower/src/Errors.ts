/**
 * Everything that can go wrong between the service and a sink, as one closed union.
 *
 * Each error says whether a retry may help (`isRetryable`); the follower decides by that, never by
 * the tag. Retryable errors are retried inside the follower, so a program sees an error of this
 * union only when a policy says `halt`, when a bound of the options is reached, or when its sink or
 * lease is lost.
 */
import type * as Duration from "effect/Duration";
import { taggedFailures } from "@game-data/contract/taggedFailure";

const taggedFailure = taggedFailures("stream-follower");

/**
 * No page was received, and a retry may help: the connection failed (`connection`), the service
 * answered 429 (`rateLimited`), it answered 5xx or another status that no page has (`server`), or
 * something in front of it answered in HTML or other text (`blocked`: a firewall, a proxy), which
 * says nothing about the token or the id.
 *
 * What to do: wait `retryAfter`, or for the next attempt of the follower; if it lasts, check the
 * service and the network.
 */
export class PageUnavailable extends taggedFailure("PageUnavailable", true)<{
  readonly kind: "connection" | "rateLimited" | "server" | "blocked";
  /** HTTP status, where there was a response. */
  readonly status?: number | undefined;
  /** `Retry-After`; without it the follower's own backoff applies. */
  readonly retryAfter?: Duration.Duration | undefined;
  /** Who answered a blocked request: its media type and its `Server` header. */
  readonly answeredBy?: string | undefined;
  readonly cause?: unknown;
}> {
  override get message(): string {
    if (this.kind === "blocked") {
      const who = this.answeredBy === undefined ? "" : ` (${this.answeredBy})`;
      return `Something in front of the service responded with HTTP ${this.status}${who}.`;
    }
    if (this.kind === "rateLimited") return "The service is rate limiting requests (HTTP 429).";
    if (this.kind === "server") return `The service responded with HTTP ${this.status}.`;
    return `The connection to the service failed${detailOf(this.cause)}`;
  }
}

/**
 * A timer of the fetch expired: no status line (`response`), no further bytes (`stall`), too few
 * bytes (`throughput`), or too long in total (`total`).
 *
 * What to do: let the follower retry; raise the timeout that `kind` names where the connection is
 * slow.
 */
export class PageTimeout extends taggedFailure("PageTimeout", true)<{
  readonly kind: "response" | "stall" | "throughput" | "total";
}> {
  override get message(): string {
    return `The page was not received in time (${this.kind} timer).`;
  }
}

/**
 * The service refused the caller: HTTP 401 that a renewed token did not cure (`unauthorized`), or
 * HTTP 403, because the token lacks the scope of the stream (`forbidden`; `service:psapi`,
 * `service:cxapi`, §7).
 *
 * What to do: sign in again for `unauthorized`; for `forbidden` get a token with the scope of the
 * stream.
 */
export class PageRefused extends taggedFailure("PageRefused")<{
  readonly kind: "unauthorized" | "forbidden";
  /** The scope that the stream needs. */
  readonly scope?: string | undefined;
  readonly cause?: unknown;
}> {
  override get message(): string {
    return this.kind === "unauthorized"
      ? "The access token is expired or revoked. Generate a new one."
      : `The access token lacks the scope ${this.scope ?? "of the stream"}.`;
  }
}

/**
 * The service answered a change id with a 4xx. Three spaced retries are made; then the policy
 * `onIdRejected` decides.
 *
 * What to do: start from another change id (`stream follow --jump`), and keep the history of the
 * rejected one as a gap.
 */
export class ChangeIdRejected extends taggedFailure("ChangeIdRejected")<{
  readonly id: string;
  readonly status: number;
  /** The service's own message. */
  readonly detail?: string | undefined;
}> {
  override get message(): string {
    const detail = this.detail === undefined ? "" : `: ${JSON.stringify(this.detail)}`;
    return `The service rejects the change id ${JSON.stringify(this.id)} (HTTP ${this.status})${detail}.`;
  }
}

/**
 * The body ended early: cut connection, wrong Content-Length, or a checksum mismatch. The same id
 * is requested again.
 *
 * What to do: nothing; if it repeats, look at the proxies in between.
 */
export class TruncatedBody extends taggedFailure("TruncatedBody", true)<{
  readonly received: number;
  readonly detail: string;
}> {
  override get message(): string {
    return `The body ended after ${this.received} bytes: ${this.detail}.`;
  }
}

/**
 * The body is not in the format of its Content-Encoding. The same id is requested again.
 *
 * What to do: nothing; if it repeats, look at the proxies in between.
 */
export class DecompressError extends taggedFailure("DecompressError", true)<{
  readonly encoding: string;
  readonly detail: string;
}> {
  override get message(): string {
    return `The body is not valid ${this.encoding}: ${this.detail}.`;
  }
}

/**
 * A page larger than `maxPageBytes`, on the wire or inflated. Three spaced retries are made; then
 * the policy `onPageTooLarge` decides.
 *
 * What to do: raise `maxPageBytes` if the memory allows it, or let the policy quarantine the page.
 */
export class PageTooLarge extends taggedFailure("PageTooLarge")<{
  readonly limit: number;
  readonly stage: "wire" | "inflated";
  /** The first bytes of the page, inflated. */
  readonly head: Uint8Array;
}> {
  override get message(): string {
    return `The page is larger than ${this.limit} bytes (${this.stage}).`;
  }
}

/**
 * A whole body that is not a page: not JSON, or without `next_change_id` and its list. Three spaced
 * retries are made; then the page is quarantined, or the follower halts.
 *
 * What to do: look at the quarantined page, and replay it when its reader has been mended.
 */
export class MalformedPage extends taggedFailure("MalformedPage")<{
  readonly detail: string;
  /** The next id, where the first bytes show it. */
  readonly headId?: string | undefined;
  readonly raw: Uint8Array;
}> {
  override get message(): string {
    return `The body is not a page of the stream: ${this.detail}.`;
  }
}

/**
 * The service broke a rule of its stream (§4.2). The policy `onCycle` decides what happens.
 *
 * What to do: report it to the service with the ids; choose with `onCycle` whether to go on.
 */
export class ProtocolViolation extends taggedFailure("ProtocolViolation")<{
  readonly kind: "SameIdWithData" | "Backwards" | "Cycle" | "HintMismatch";
  readonly id: string;
  readonly nextId: string;
}> {
  override get message(): string {
    return `The stream broke its rules (${this.kind}): ${this.id} was followed by ${this.nextId}.`;
  }
}

/**
 * A part of the history that was not read. It is stored beside the rows, and is an error only under
 * the policy `halt`. The service removed the history, so a retry does not restore it.
 *
 * What to do: accept the hole or fill it from another source: the service no longer has the pages.
 */
export class HistoryGap extends taggedFailure("HistoryGap")<{
  readonly kind: "skipped" | "restarted" | "jumped";
  readonly from: string;
  readonly to: string;
}> {
  override get message(): string {
    return `History between ${this.from} and ${this.to} was not read (${this.kind}).`;
  }
}

/**
 * The kind of failure that a store reported:
 * - `unavailable`: down, restarting or busy. Retried.
 * - `diskFull`: no space left. Retried slowly; the process is not ready meanwhile.
 * - `rowRejected`: the store can never accept one of the rows. The sink isolates and quarantines
 *   it.
 * - `incompatible`: another version of this package wrote the store, or another program.
 * - `replaced`: the file was deleted or replaced while it was open.
 * - `corrupt`: the store is damaged, or not a store of this package.
 * - `internal`: a defect of this package or a missing permission.
 */
export type SinkErrorKind =
  | "unavailable"
  | "diskFull"
  | "rowRejected"
  | "incompatible"
  | "replaced"
  | "corrupt"
  | "internal";

/**
 * The sink failed.
 *
 * What to do: act on `kind`: free space for `diskFull`, restore a backup for `corrupt`, start again
 * for `replaced`;
 * `unavailable` is retried.
 */
export class SinkError extends taggedFailure("SinkError")<{
  readonly operation: string;
  readonly kind: SinkErrorKind;
  readonly cause?: unknown;
}> {
  override get isRetryable(): boolean {
    return this.kind === "unavailable" || this.kind === "diskFull";
  }
  override get message(): string {
    return `The store failed in ${this.operation} (${this.kind})${detailOf(this.cause)}`;
  }
}

/**
 * The checkpoint does not match: a newer follower owns the stream. Nothing was written. The
 * follower must claim the stream again before it writes.
 *
 * What to do: stop this follower, or claim the stream again; another process writes.
 */
export class Fenced extends taggedFailure("Fenced")<{
  readonly epoch: number;
  /** The epoch of the store, where the sink knows it. */
  readonly fence?: number | undefined;
  readonly detail: string;
}> {
  override get message(): string {
    return `A newer owner stopped epoch ${this.epoch}: ${this.detail}.`;
  }
}

/**
 * The lease expired or was taken over. The follower stops writing and waits to acquire it again.
 *
 * What to do: nothing: the follower stands by until it holds the lease again.
 */
export class LeaseLost extends taggedFailure("LeaseLost")<{ readonly epoch: number }> {
  override get message(): string {
    return `The lease of epoch ${this.epoch} is lost.`;
  }
}

/**
 * Another process follows the stream, so its checkpoint cannot be moved.
 *
 * What to do: stop the follower of the stream, and try again.
 */
export class StreamInUse extends taggedFailure("StreamInUse", true)<{
  /** `source/realm`. */
  readonly stream: string;
}> {
  override get message(): string {
    return `Another process follows ${this.stream}. Stop it first.`;
  }
}

/**
 * The stream made no progress for `tries` responses that each held data. The loop guard has already
 * waited.
 *
 * What to do: start from a later change id, and report the id to the service.
 */
export class StuckStream extends taggedFailure("StuckStream")<{
  readonly id: string;
  readonly tries: number;
}> {
  override get message(): string {
    return `The stream stays at ${this.id} after ${this.tries} responses.`;
  }
}

/**
 * A store URL that names no store. The URL is not repeated: it may hold a password.
 *
 * What to do: use `sqlite:FILE`, `postgres://…` or `nats://…`.
 */
export class InvalidStoreUrl extends taggedFailure("InvalidStoreUrl")<{}> {
  override get message(): string {
    return "Invalid store. Use sqlite:FILE, postgres://… or nats://HOST/PREFIX?replicas=N, N from 1 to 5.";
  }
}

/**
 * The package of a store's driver is not installed: it is an optional peer dependency.
 *
 * What to do: install the package that `install` names.
 */
export class DriverMissing extends taggedFailure("DriverMissing")<{
  /** The npm package that is missing. */
  readonly package: string;
  /** The command that installs it. */
  readonly install: string;
  readonly cause?: unknown;
}> {
  override get message(): string {
    return `The package ${this.package} is not installed. Install it: ${this.install}`;
  }
}

/**
 * A store, or a stream in it, that no follower has written to.
 *
 * What to do: check the URL and the realm, or run a follower first.
 */
export class StreamNotFound extends taggedFailure("StreamNotFound")<{
  /** `source/realm`. */
  readonly stream: string;
  /** The store's URL without its password. */
  readonly store: string;
  /** `store`: the store holds no stream at all. `stream`: it holds none with this key. */
  readonly missing: "store" | "stream";
}> {
  override get message(): string {
    return this.missing === "store"
      ? `Nothing was followed into ${this.store} yet.`
      : `${this.store} holds nothing of ${this.stream}.`;
  }
}

/**
 * Pages after a reader's position are no longer in the log.
 *
 * What to do: rebuild what the reader derives, or continue from `first` and accept the gap.
 */
export class HistoryExpired extends taggedFailure("HistoryExpired")<{
  /** `source/realm`. */
  readonly stream: string;
  /** Position of the reader. */
  readonly position: bigint;
  /** The oldest page of the log. */
  readonly first: bigint;
}> {
  override get message(): string {
    return `The log of ${this.stream} begins at page ${this.first}; a reader stands at ${this.position}.`;
  }
}

/**
 * An indexer cannot apply the page after `after`: it failed there six times, at last with that page
 * alone. The log is whole, and pages are still stored.
 *
 * What to do: update the program, or rebuild the derived tables (`stream rebuild`); report the page
 * if it fails again.
 */
export class IndexerFailed extends taggedFailure("IndexerFailed")<{
  readonly indexer: string;
  /** `source/realm`. */
  readonly stream: string;
  /** The last page that it has applied. */
  readonly after: bigint;
  /** The last failure. */
  readonly detail: string;
}> {
  override get message(): string {
    return `The indexer ${this.indexer} of ${this.stream} cannot apply the page after ${this.after}: ${this.detail}`;
  }
}

/**
 * A page of a log continues none of the pages before it, and no gap is recorded there: the log was
 * replaced, or pages in between were lost.
 *
 * What to do: compare the log with what the reader derived (`stream verify`); rebuild the reader
 * from a log that is whole, or let it begin at `version` and accept the hole.
 */
export class ChainBroken extends taggedFailure("ChainBroken")<{
  /** `source/realm`. */
  readonly stream: string;
  /** The page that does not continue. */
  readonly version: bigint;
  /** The id that it was requested with. */
  readonly requestedId: string | undefined;
}> {
  override get message(): string {
    const id = this.requestedId === undefined ? "the beginning" : JSON.stringify(this.requestedId);
    return `Page ${this.version} of ${this.stream} continues ${id}, which the pages before do not lead to.`;
  }
}

/**
 * The health server could not listen.
 *
 * What to do: choose another port or address.
 */
export class HealthServerFailed extends taggedFailure("HealthServerFailed")<{
  readonly cause?: unknown;
}> {
  override get message(): string {
    return `The health server cannot listen${detailOf(this.cause)}`;
  }
}

/** What happened, with the cause of a driver's own error: it may say no more than that it failed. */
const detailOf = (cause: unknown): string => {
  const texts: Array<string> = [];
  for (let at = cause; at instanceof Error && texts.length < 4; at = causeOf(at)) {
    if (at.message !== "" && !texts.some((text) => text.includes(at.message)))
      texts.push(at.message);
  }
  return texts.length === 0 ? "." : `: ${texts.join(": ")}`;
};

/** The cause of an error; SQL errors keep theirs in a reason. */
const causeOf = (error: Error & { readonly reason?: { readonly cause?: unknown } }): unknown =>
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

/** Errors of a stream of pages. */
export type FollowError = FetchError | ProtocolViolation | HistoryGap | StuckStream;

/** Errors of following a stream into a sink. */
export type RunError = FollowError | SinkError | Fenced | LeaseLost;
