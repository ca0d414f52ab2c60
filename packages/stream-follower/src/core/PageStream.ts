/**
 * One stream from its first request to its last: the actions of `StateMachine.table`.
 *
 * `pull` returns one page after another. This module decides about ids: what a page is, whether its
 * id may be followed, and how long to wait before the same id is requested again. It knows nothing
 * of sinks.
 */
import type * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Random from "effect/Random";
import type * as Scope from "effect/Scope";
import type { DecodeLevel } from "../Decode.ts";
import { ChangeIdRejected, type FollowError, MalformedPage, StuckStream } from "../Errors.ts";
import { type Actions, interpret, type Table } from "./interpret.ts";
import * as StateMachine from "./StateMachine.ts";
import type { EventName, StateName } from "./StateMachine.ts";
import * as Metrics from "../Metrics.ts";
import type { GapRecord, Page, QuarantineRecord, StreamKey } from "../Model.ts";
import { note, part, stream, track } from "../Parts.ts";
import type { Settings } from "../Options.ts";
import type { PageSourceService } from "../PageSource.ts";
import { doubled } from "./backoff.ts";
import { decodeBody } from "./decodeBody.ts";
import { RetryState, fatal } from "./RetryState.ts";
import type { FetchedPage } from "./fetchPage.ts";
import { classifyPage, type PageEvent } from "./classifyPage.ts";
import { PrefetchWindow } from "./PrefetchWindow.ts";

/** Starting position of a stream. */
export interface StreamPosition {
  /** `undefined`: the beginning of the history. */
  readonly id: string | undefined;
  readonly seq: bigint;
  /** Hash of the page that led to `id`, if there is one. */
  readonly checksum: string | undefined;
  /** Level at which its pages will be checked. */
  readonly level: DecodeLevel;
  /** History that is left out by beginning here; stored with the first page. */
  readonly gap?: GapRecord | undefined;
  /** Told of each poll of the end with nothing pending. */
  readonly polled?: (at: number) => Effect.Effect<void, unknown>;
}

/** Interface of a stream to its consumer. */
export interface PageStream {
  /** The next page; `undefined` when `until: "caughtUp"` is reached. */
  readonly pull: Effect.Effect<Page | undefined, FollowError>;
}

/** Opens a stream; its requests live in the scope. */
export const makePageStream = Effect.fnUntraced(function* (
  source: PageSourceService,
  key: StreamKey,
  settings: Settings,
  start: StreamPosition,
  table: Table = StateMachine.table,
): Effect.fn.Return<PageStream, never, Scope.Scope> {
  const scope = yield* Effect.scope;
  const gauges = { bytes: 0, pages: 0 };
  const window = new PrefetchWindow({
    source,
    key,
    settings,
    scope,
    observer: {
      windowBytes: (bytes) => {
        gauges.bytes = bytes;
      },
      windowPages: (pages) => {
        gauges.pages = pages;
      },
    },
  });

  const retries = new RetryState(settings, window);

  const current: { state: StateName } = { state: "requesting" };
  let id = start.id;
  let lastSeq = start.seq;
  let lastChecksum = start.checksum;
  let polling = false;
  let idlePolls = 0;
  let sameIdAnswers = 0;
  let waitMillis = 0;
  let tries = 1;
  let leadsOn = true;
  let hasBegun = false;
  let headFailed = false;
  let found: PageEvent = { event: "tail" };
  let gaps: Array<GapRecord> = start.gap === undefined ? [] : [start.gap];
  let quarantine: Array<QuarantineRecord> = [];

  /** Reads one response and classifies it. */
  const read = Effect.fnUntraced(function* (fetched: FetchedPage) {
    const { wire, encoding } = fetched;
    const body = yield* decodeBody({
      wire,
      encoding,
      codings: source.codings,
      source: key.source,
      level: start.level,
      maxPageBytes: settings.maxPageBytes,
    }).pipe(
      // A 404 of the exchange that holds no page is what it says: the id is refused.
      Effect.mapError((error) =>
        fetched.status === 404 && error._tag === "MalformedPage"
          ? new ChangeIdRejected({ id: id ?? "", status: 404 })
          : error,
      ),
    );
    yield* Metrics.record(Metrics.stageMillis, key, body.inflateMillis, { stage: "inflate" });
    yield* Metrics.record(Metrics.stageMillis, key, body.parseMillis, { stage: "parse" });
    return body;
  });

  const response = Effect.gen(function* () {
    const begun = yield* Clock.currentTimeMillis;
    const fetched = yield* yield* window.await(id);
    yield* Metrics.record(Metrics.stageMillis, key, (yield* Clock.currentTimeMillis) - begun, {
      stage: "fetch",
    });
    return { ...(yield* read(fetched)), fetched };
  });

  /** Reads the response and judges it: a broken rule that the policy waits for is a failure. */
  const judged = Effect.gen(function* () {
    const page = yield* response;
    // The same page may come whole. After the last try it is taken, without its damaged rows.
    if (page.damage !== undefined && retries.maySuspect) {
      return yield* new MalformedPage({ detail: page.damage, raw: page.raw });
    }
    const classification = classifyPage(page, {
      key,
      settings,
      requestedId: id,
      lastChecksum,
      wasVisited: (other) => window.wasVisited(other),
    });
    for (const kind of classification.violations ?? []) {
      yield* Metrics.record(Metrics.violations, key, 1, { kind });
    }
    if (classification.violation !== undefined) return yield* classification.violation;
    return { page, classification };
  });

  const cell = yield* part(key, "source", {
    limitMillis: settings.responseTimeoutMillis + settings.totalMillis,
  });

  const classified = Effect.gen(function* (): Effect.fn.Return<PageEvent> {
    const exit = yield* Effect.exit(track(cell, judged));
    if (Exit.isFailure(exit)) {
      const error = errorOf(exit);
      if (error?._tag === "ProtocolViolation") {
        retries.reset();
        return { event: "violation" };
      }
      if (error !== undefined) return yield* retries.classify(error, id);
      return yield* Effect.failCause(exit.cause as Cause.Cause<never>);
    }
    const { classification, page } = exit.value;
    tries = retries.suspected + 1;
    retries.reset();
    if (page.nextId === id && page.rows.length > 0) {
      sameIdAnswers += 1;
      if (sameIdAnswers >= settings.maxRepeatedPages) {
        return fatal(new StuckStream({ id, tries: sameIdAnswers }));
      }
    } else sameIdAnswers = 0;
    return classification.event === "tail" || classification.atTail === true
      ? { ...classification, waitMillis: yield* untilNextPoll(page.fetched.servedAt) }
      : classification;
  });

  /** The service's clock decides where it is known: the hour must be over there, not here. */
  const untilNextPoll = Effect.fnUntraced(function* (servedAt: number | undefined) {
    if (key.source === "stashes") {
      return doubled(settings.pollMinMillis, settings.pollMaxMillis, idlePolls);
    }
    const now = servedAt ?? (yield* Clock.currentTimeMillis);
    const jitter = (yield* Random.next) * settings.hourJitterMillis;
    return HOUR_MILLIS - (now % HOUR_MILLIS) + jitter;
  });

  const enterTail = Effect.gen(function* () {
    idlePolls += 1;
    polling = true;
    const now = yield* Clock.currentTimeMillis;
    const { facts } = yield* stream(key);
    yield* note(key, { tailAt: now });
    // The end of the stream is news of the service; only an empty buffer and a store that answers
    // make it true of the store.
    if (facts.pendingPages > 0) return;
    const exit = yield* Effect.exit(start.polled?.(now) ?? Effect.void);
    if (Exit.isSuccess(exit)) yield* note(key, { durableAt: now });
  });

  const deliver = Effect.fnUntraced(function* (
    page: NonNullable<PageEvent["page"]>,
    atTail: boolean,
  ): Effect.fn.Return<Page> {
    const seq = nextSeq(key, id, page.nextId, lastSeq);
    const delivered: Page = {
      key,
      requestedId: id,
      nextId: page.nextId,
      seq,
      previousSeq: lastSeq,
      receivedAt: page.fetched?.receivedAt ?? Math.floor(yield* Clock.currentTimeMillis),
      wire: page.wire,
      encoding: page.fetched?.encoding ?? "",
      raw: page.raw,
      wireBytes: page.fetched?.wireBytes ?? 0,
      checksum: page.checksum,
      rows: page.rows,
      bounds: page.bounds,
      tries,
      quarantine,
      gaps,
      caughtUp: polling,
    };
    leadsOn = !atTail;
    lastSeq = seq;
    lastChecksum = page.checksum;
    gaps = [];
    quarantine = [];
    if (page.rows.length > 0) idlePolls = 0;
    const { mismatch } = yield* window.advance(page.nextId, leadsOn);
    if (mismatch) yield* Metrics.record(Metrics.violations, key, 1, { kind: "HintMismatch" });
    if (leadsOn) yield* window.prefetch(page.nextId);
    id = page.nextId;
    yield* note(key, { tailAt: undefined });
    yield* Metrics.record(Metrics.windowBytes, key, gauges.bytes);
    yield* Metrics.record(Metrics.windowPages, key, gauges.pages);
    return delivered;
  });

  /** Requests the current id, and ends with what came of it. */
  const request = Effect.gen(function* (): Effect.fn.Return<{ readonly event: EventName }> {
    found = yield* classified;
    if (found.gap !== undefined) gaps.push(found.gap);
    if (found.quarantine !== undefined) quarantine.push(found.quarantine);
    if (found.waitMillis !== undefined) waitMillis = found.waitMillis;
    return { event: found.event };
  });

  /** Waits, and ends with the timer. */
  const wait = Effect.gen(function* () {
    yield* Effect.sleep(waitMillis);
    return { event: "timer" } as const;
  });

  const retryLater = Effect.suspend(() => {
    headFailed = true;
    return wait;
  });

  const actions: Actions = {
    deliver: Effect.suspend(() =>
      Effect.map(deliver(found.page!, found.atTail === true), (page) => ({ page })),
    ),
    requestNext: request,
    requestSame: Effect.gen(function* () {
      if (headFailed) yield* window.retryHead();
      headFailed = false;
      return yield* request;
    }),
    requestElsewhere: Effect.gen(function* () {
      yield* window.clear();
      window.forget();
      id = found.id;
      return yield* request;
    }),
    waitIdle: Effect.gen(function* () {
      yield* window.clear();
      yield* enterTail;
      return settings.until === "caughtUp" ? ({ done: true } as const) : yield* wait;
    }),
    waitBackoff: retryLater,
    waitSpaced: retryLater,
    waitPause: Effect.gen(function* () {
      yield* window.clear();
      waitMillis = settings.pauseMillis;
      return yield* wait;
    }),
    fail: Effect.gen(function* () {
      yield* window.clear();
      return yield* found.error!;
    }),
    end: Effect.succeed({ done: true }),
    nothing: Effect.succeed({ done: true }),
  };

  /**
   * Event of a new pull: the result of the first request, or the return of the consumer.
   * `undefined` if the stream has ended.
   */
  const pulled = Effect.gen(function* () {
    if (!hasBegun) {
      hasBegun = true;
      return (yield* request).event;
    }
    if (current.state !== "delivering") return undefined;
    return leadsOn ? "consumed" : "consumedAtTail";
  });

  return {
    pull: Effect.gen(function* () {
      const event = yield* pulled;
      return event === undefined ? undefined : yield* interpret(table, actions, current, event);
    }),
  };
});

const HOUR_MILLIS = 3_600_000;

const errorOf = <E>(exit: Exit.Failure<unknown, E>): E | undefined => {
  for (const reason of exit.cause.reasons) if (reason._tag === "Fail") return reason.error;
  return undefined;
};

/** Stash pages are counted; exchange pages carry their hour, unless that would not grow. */
const nextSeq = (
  key: StreamKey,
  requestedId: string | undefined,
  nextId: string,
  last: bigint,
): bigint => {
  if (key.source === "stashes") return last + 1n;
  const hour = requestedId === undefined ? BigInt(nextId) - 3600n : BigInt(requestedId);
  return hour > last ? hour : last + 1n;
};
