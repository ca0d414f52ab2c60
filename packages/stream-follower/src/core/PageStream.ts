/**
 * One stream from its first request to its last: the actions of `StateMachine.table`.
 *
 * `pull` returns one page after another. This module decides about ids: what a page is, whether its
 * id may be followed, and how long to wait before the same id is requested again. It knows nothing
 * of sinks.
 */
import * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Random from "effect/Random";
import type * as Scope from "effect/Scope";
import type { DecodeLevel } from "../Decode.ts";
import { ChangeIdRejected, type FollowError, MalformedPage, StuckStream } from "../Errors.ts";
import { type Action, type EventName, type StateName, table } from "./StateMachine.ts";
import * as Metrics from "../Metrics.ts";
import type { GapRecord, Page, QuarantineRecord, StreamKey } from "../Model.ts";
import { type Cell, note, part, stream, track, waits } from "../Parts.ts";
import type { Settings } from "../Options.ts";
import type { PageSourceService } from "../PageSource.ts";
import { doubled } from "./backoff.ts";
import { decodeBody } from "./decodeBody.ts";
import { RetryState } from "./RetryState.ts";
import type { FetchedPage } from "./fetchPage.ts";
import { classifyPage, nextSeq, type PageEvent } from "./classifyPage.ts";
import { PrefetchWindow } from "./PrefetchWindow.ts";

/** Starting position of a stream. */
interface StreamPosition {
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
): Effect.fn.Return<PageStream, never, Scope.Scope> {
  const scope = yield* Effect.scope;
  const cell = yield* part(key, "source", {
    limitMillis: settings.responseTimeoutMillis + settings.totalMillis,
  });
  return new StreamRun({ source, key, settings, start, scope, cell });
});

interface StreamRunOptions {
  readonly source: PageSourceService;
  readonly key: StreamKey;
  readonly settings: Settings;
  readonly start: StreamPosition;
  readonly scope: Scope.Scope;
  readonly cell: Cell;
}

/** What an action ends with: the next event, a page for the consumer, or the end of the stream. */
type Outcome = { readonly event: EventName } | { readonly page: Page } | { readonly done: true };

class StreamRun implements PageStream {
  private readonly options: StreamRunOptions;
  private readonly window: PrefetchWindow;
  private readonly retries: RetryState;
  private readonly current: { state: StateName } = { state: "requesting" };
  private id: string | undefined;
  private lastSeq: bigint;
  private lastChecksum: string | undefined;
  private idlePolls = 0;
  private sameIdAnswers = 0;
  private waitMillis = 0;
  private tries = 1;
  private leadsOn = true;
  private hasBegun = false;
  private headFailed = false;
  private found: PageEvent = { event: "tail" };
  private gaps: Array<GapRecord>;
  private quarantine: Array<QuarantineRecord> = [];

  constructor(options: StreamRunOptions) {
    const { key, scope, settings, source, start } = options;
    this.options = options;
    this.id = start.id;
    this.lastSeq = start.seq;
    this.lastChecksum = start.checksum;
    this.gaps = start.gap === undefined ? [] : [start.gap];
    this.window = new PrefetchWindow({ source, key, settings, scope });
    this.retries = new RetryState(settings, this.window);
  }

  /**
   * Looks up the cell of an event, moves to its state, runs its action, and goes on with the event
   * that the action ends with, until a page is delivered or the stream ends.
   */
  readonly pull = Effect.gen({ self: this }, function* (): Effect.fn.Return<
    Page | undefined,
    FollowError
  > {
    let event = yield* this.pulled;
    while (event !== undefined) {
      const cell = table[this.current.state][event];
      if ("impossible" in cell) {
        const defect = `${event} in ${this.current.state} is impossible: ${cell.impossible}`;
        return yield* Effect.die(new Error(defect));
      }
      this.current.state = cell.to;
      const outcome: Outcome = yield* this.actions[cell.action];
      if ("page" in outcome) return outcome.page;
      event = "event" in outcome ? outcome.event : undefined;
    }
    return undefined;
  });

  /**
   * Event of a new pull: the result of the first request, or the return of the consumer.
   * `undefined` if the stream has ended.
   */
  private readonly pulled = Effect.suspend((): Effect.Effect<EventName | undefined> => {
    if (!this.hasBegun) {
      this.hasBegun = true;
      return Effect.map(this.request, ({ event }) => event);
    }
    if (this.current.state !== "delivering") return Effect.succeed(undefined);
    return Effect.succeed(this.leadsOn ? "consumed" : "consumedAtTail");
  });

  /** Reads one response and classifies it. */
  private readonly read = Effect.fnUntraced(
    { self: this },
    function* (this: StreamRun, fetched: FetchedPage) {
      const { key, settings, source, start } = this.options;
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
            ? new ChangeIdRejected({ id: this.id ?? "", status: 404 })
            : error,
        ),
      );
      yield* Metrics.record(Metrics.stageMillis, key, body.inflateMillis, { stage: "inflate" });
      yield* Metrics.record(Metrics.stageMillis, key, body.parseMillis, { stage: "parse" });
      return body;
    },
  );

  private readonly response = Effect.gen({ self: this }, function* () {
    const { key } = this.options;
    const begun = yield* Clock.currentTimeMillis;
    const fetched = yield* yield* this.window.await(this.id);
    yield* Metrics.record(Metrics.stageMillis, key, (yield* Clock.currentTimeMillis) - begun, {
      stage: "fetch",
    });
    return { ...(yield* this.read(fetched)), fetched };
  });

  /** Reads the response and judges it: a broken rule that the policy waits for is a failure. */
  private readonly judged = Effect.gen({ self: this }, function* () {
    const { key, settings } = this.options;
    const page = yield* this.response;
    // The same page may come whole. After the last try it is taken, without its damaged rows.
    if (page.damage !== undefined && this.retries.maySuspect) {
      return yield* new MalformedPage({ detail: page.damage, raw: page.raw });
    }
    const classification = classifyPage(page, {
      key,
      settings,
      requestedId: this.id,
      lastChecksum: this.lastChecksum,
      wasVisited: (other) => this.window.wasVisited(other),
    });
    for (const kind of classification.violations ?? []) {
      yield* Metrics.record(Metrics.violations, key, 1, { kind });
    }
    if (classification.violation !== undefined) return yield* classification.violation;
    const isSame = page.nextId === this.id && page.rows.length > 0;
    this.sameIdAnswers = isSame ? this.sameIdAnswers + 1 : 0;
    if (this.sameIdAnswers >= MAX_REPEATED_PAGES)
      return yield* new StuckStream({ id: page.nextId, tries: this.sameIdAnswers });
    return { page, classification };
  });

  private readonly classified = Effect.gen(
    { self: this },
    function* (): Effect.fn.Return<PageEvent> {
      const exit = yield* Effect.exit(track(this.options.cell, this.judged));
      if (Exit.isFailure(exit)) {
        const error = errorOf(exit);
        if (error?._tag === "ProtocolViolation") {
          this.retries.reset();
          return { event: "violation" };
        }
        if (error !== undefined) return yield* this.retries.classify(error, this.id);
        return yield* Effect.failCause(exit.cause as Cause.Cause<never>);
      }
      const { classification, page } = exit.value;
      this.tries = this.retries.suspected + 1;
      this.retries.reset();
      return classification.event === "tail" || classification.atTail === true
        ? { ...classification, waitMillis: yield* this.untilNextPoll(page.fetched.servedAt) }
        : classification;
    },
  );

  /** The service's clock decides where it is known: the hour must be over there, not here. */
  private readonly untilNextPoll = Effect.fnUntraced(
    { self: this },
    function* (this: StreamRun, servedAt: number | undefined) {
      const { key, settings } = this.options;
      if (key.source === "stashes") {
        return doubled(settings.pollMinMillis, settings.pollMaxMillis, this.idlePolls);
      }
      const now = servedAt ?? (yield* Clock.currentTimeMillis);
      const jitter = (yield* Random.next) * settings.hourJitterMillis;
      return HOUR_MILLIS - (now % HOUR_MILLIS) + jitter;
    },
  );

  private readonly enterTail = Effect.gen({ self: this }, function* () {
    const { key, start } = this.options;
    this.idlePolls += 1;
    const now = yield* Clock.currentTimeMillis;
    const { facts } = yield* stream(key);
    yield* note(key, { tailAt: now });
    // The end of the stream is news of the service; only an empty buffer and a store that answers
    // make it true of the store.
    if (facts.pendingPages > 0) return;
    const exit = yield* Effect.exit(start.polled?.(now) ?? Effect.void);
    if (Exit.isSuccess(exit)) yield* note(key, { durableAt: now });
  });

  private readonly deliver = Effect.gen({ self: this }, function* () {
    const { key } = this.options;
    const page = this.found.page!;
    const seq = nextSeq(key, this.id, page.nextId, this.lastSeq);
    const delivered: Page = {
      key,
      requestedId: this.id,
      nextId: page.nextId,
      seq,
      previousSeq: this.lastSeq,
      receivedAt: page.fetched?.receivedAt ?? Math.floor(yield* Clock.currentTimeMillis),
      wire: page.wire,
      encoding: page.fetched?.encoding ?? "",
      raw: page.raw,
      checksum: page.checksum,
      rows: page.rows,
      bounds: page.bounds,
      tries: this.tries,
      quarantine: this.quarantine,
      gaps: this.gaps,
    };
    this.leadsOn = this.found.atTail !== true;
    this.lastSeq = seq;
    this.lastChecksum = page.checksum;
    this.gaps = [];
    this.quarantine = [];
    if (page.rows.length > 0) this.idlePolls = 0;
    const { mismatch } = yield* this.window.advance(page.nextId, this.leadsOn);
    if (mismatch) yield* Metrics.record(Metrics.violations, key, 1, { kind: "HintMismatch" });
    if (this.leadsOn) yield* this.window.prefetch(page.nextId);
    this.id = page.nextId;
    yield* note(key, { tailAt: undefined });
    const { gauges } = this.window;
    yield* Metrics.record(Metrics.windowBytes, key, gauges.bytes);
    yield* Metrics.record(Metrics.windowPages, key, gauges.pages);
    return { page: delivered };
  });

  /** Requests the current id, and ends with what came of it. */
  private readonly request = Effect.gen({ self: this }, function* (): Effect.fn.Return<{
    readonly event: EventName;
  }> {
    const found = yield* this.classified;
    this.found = found;
    if (found.gap !== undefined) this.gaps.push(found.gap);
    if (found.quarantine !== undefined) this.quarantine.push(found.quarantine);
    this.waitMillis = found.waitMillis ?? this.waitMillis;
    return { event: found.event };
  });

  /** Waits, and ends with the timer. */
  private readonly wait = Effect.suspend(() =>
    Effect.as(Effect.sleep(this.waitMillis), { event: "timer" } as const),
  );

  private readonly retryLater = Effect.suspend(() => {
    this.headFailed = true;
    return Effect.andThen(waits(this.options.cell, this.waitMillis), this.wait);
  });

  private readonly actions: Readonly<Record<Action, Effect.Effect<Outcome, FollowError>>> = {
    deliver: this.deliver,
    requestNext: this.request,
    requestSame: Effect.gen({ self: this }, function* () {
      if (this.headFailed) yield* this.window.retryHead();
      this.headFailed = false;
      return yield* this.request;
    }),
    requestElsewhere: Effect.gen({ self: this }, function* () {
      yield* this.window.clear();
      this.window.forget();
      this.id = this.found.id;
      return yield* this.request;
    }),
    waitIdle: Effect.gen({ self: this }, function* () {
      yield* this.window.clear();
      yield* this.enterTail;
      return this.options.settings.until === "caughtUp"
        ? ({ done: true } as const)
        : yield* this.wait;
    }),
    waitBackoff: this.retryLater,
    waitSpaced: this.retryLater,
    waitPause: Effect.gen({ self: this }, function* () {
      yield* this.window.clear();
      this.waitMillis = PAUSE_MILLIS;
      return yield* this.wait;
    }),
    fail: Effect.gen({ self: this }, function* () {
      yield* this.window.clear();
      return yield* this.found.error!;
    }),
    end: Effect.succeed({ done: true }),
    nothing: Effect.succeed({ done: true }),
  };
}

const HOUR_MILLIS = 3_600_000;

/** Until the service is asked again after it broke its rules. */
const PAUSE_MILLIS = 60_000;

/** Responses with data under an unchanged id before `StuckStream`. */
const MAX_REPEATED_PAGES = 100;

const errorOf = <E>({ cause }: Exit.Failure<unknown, E>): E | undefined =>
  cause.reasons.find(Cause.isFailReason)?.error;
