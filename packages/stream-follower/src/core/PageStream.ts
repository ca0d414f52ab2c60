/**
 * One stream from its first request to its last: the interpreter of `StateMachine.table`.
 *
 * `pull` hands out one page after another. It owns every decision about ids: what a page is,
 * whether its id may be followed, and how long to wait before the same id is asked for again. It
 * knows nothing of sinks.
 */
import type * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Random from "effect/Random";
import type * as Scope from "effect/Scope";
import type { DecodeLevel } from "../Decode.ts";
import { type FetchError, type FollowError, ChangeIdRejected, StuckStream } from "../Errors.ts";
import { updateHealth } from "../Health.ts";
import { type EventName, type StateName, type Step, transition } from "./StateMachine.ts";
import * as Metrics from "../Metrics.ts";
import type { GapRecord, Page, QuarantineRecord, StreamKey } from "../Model.ts";
import type { Settings } from "../Options.ts";
import { PageDecoder } from "../PageDecoder.ts";
import type { PageSourceService } from "../PageSource.ts";
import { RetryState, fatal } from "./RetryState.ts";
import type { FetchedPage } from "./fetchPage.ts";
import { classifyPage, type PageEvent } from "./classifyPage.ts";
import { PrefetchWindow } from "./PrefetchWindow.ts";

/** Where a stream begins. */
export interface StreamPosition {
  /** `undefined`: the beginning of the history. */
  readonly id: string | undefined;
  readonly seq: bigint;
  /** Hash of the page that led to `id`, if there is one. */
  readonly checksum: string | undefined;
  /** How deep its pages will be checked. */
  readonly level: DecodeLevel;
}

/** What a stream can be asked. */
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

  const decoder = yield* PageDecoder;
  const retries = new RetryState(key, settings, window);

  let state: StateName = "requesting";
  let id = start.id;
  let lastSeq = start.seq;
  let lastChecksum = start.checksum;
  let polling = false;
  let idlePolls = 0;
  let sameIdAnswers = 0;
  let waitMillis = 0;
  let leadsOn = true;
  let tailReached = false;
  let gaps: Array<GapRecord> = [];
  let quarantine: Array<QuarantineRecord> = [];

  const move = (event: EventName): Step => {
    const cell = transition(state, event);
    if ("impossible" in cell) {
      throw new Error(`${event} in ${state} is impossible: ${cell.impossible}`);
    }
    state = cell.to;
    return cell;
  };

  /** Reads one answer and says what it is; faults are verdicts too. */
  const read = Effect.fnUntraced(function* (fetched: FetchedPage) {
    const { wire, encoding, ownsBuffer } = fetched;
    const body = yield* decoder
      .decode({
        wire,
        encoding,
        ownsBuffer,
        source: key.source,
        level: start.level,
        maxPageBytes: settings.maxPageBytes,
        threadsLost: retries.threadsLost,
      })
      .pipe(
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

  const answer = Effect.gen(function* () {
    const begun = yield* Clock.currentTimeMillis;
    const fetched = yield* yield* window.await(id);
    yield* Metrics.record(Metrics.stageMillis, key, (yield* Clock.currentTimeMillis) - begun, {
      stage: "fetch",
    });
    return { ...(yield* read(fetched)), fetched };
  });

  const next = Effect.gen(function* (): Effect.fn.Return<PageEvent> {
    const exit = yield* Effect.exit(answer);
    if (Exit.isFailure(exit)) {
      const error = errorOf(exit);
      if (error !== undefined) return yield* retries.classify(error, id);
      return yield* Effect.failCause(exit.cause as Cause.Cause<never>);
    }
    const page = exit.value;
    retries.reset();
    const found = classifyPage(page, {
      key,
      settings,
      requestedId: id,
      lastChecksum,
      wasVisited: (other) => window.wasVisited(other),
    });
    for (const kind of found.violations ?? []) {
      yield* Metrics.record(Metrics.violations, key, 1, { kind });
      yield* Effect.logWarning(`${key.source}/${key.realm}: ${kind} at ${id} -> ${page.nextId}`);
    }
    if (page.nextId === id && page.rows.length > 0) {
      sameIdAnswers += 1;
      if (sameIdAnswers >= settings.maxRepeatedPages) {
        return fatal(new StuckStream({ id, tries: sameIdAnswers }));
      }
    } else sameIdAnswers = 0;
    return found.event === "tail" || found.atTail === true
      ? { ...found, waitMillis: yield* untilNextPoll(page.fetched.servedAt) }
      : found;
  });

  /** The service's clock decides where it is known: the hour must be over there, not here. */
  const untilNextPoll = Effect.fnUntraced(function* (servedAt: number | undefined) {
    if (key.source === "stashes") {
      return Math.min(settings.pollMaxMillis, settings.pollMinMillis * 2 ** idlePolls);
    }
    const now = servedAt ?? (yield* Clock.currentTimeMillis);
    const jitter = (yield* Random.next) * settings.hourJitterMillis;
    return HOUR_MILLIS - (now % HOUR_MILLIS) + jitter;
  });

  const enterTail = Effect.gen(function* () {
    idlePolls += 1;
    polling = true;
    const now = yield* Clock.currentTimeMillis;
    yield* updateHealth(key, { state: "tail", caughtUp: true, lastTailAt: now });
    yield* Metrics.record(Metrics.caughtUp, key, 1);
    yield* Metrics.record(Metrics.lagSeconds, key, 0);
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
    yield* updateHealth(key, { state: "delivering", ...(atTail ? {} : { caughtUp: polling }) });
    yield* Metrics.record(Metrics.windowBytes, key, gauges.bytes);
    yield* Metrics.record(Metrics.windowPages, key, gauges.pages);
    return delivered;
  });

  const pull: PageStream["pull"] = Effect.gen(function* () {
    if (state === "delivering") {
      if (leadsOn) move("consumed");
      else {
        move("consumedAtTail");
        yield* enterTail;
        if (settings.until === "caughtUp") tailReached = true;
      }
    }
    while (true) {
      if (tailReached) return undefined;
      if (state === "requesting") {
        const found = yield* next;
        if (found.gap !== undefined) gaps.push(found.gap);
        if (found.quarantine !== undefined) quarantine.push(found.quarantine);
        if (found.waitMillis !== undefined) waitMillis = found.waitMillis;
        move(found.event);
        switch (found.event) {
          case "data":
            return yield* deliver(found.page!, found.atTail === true);
          case "tail":
            yield* window.clear();
            yield* enterTail;
            if (settings.until === "caughtUp") tailReached = true;
            break;
          case "violation":
            yield* window.clear();
            waitMillis = settings.pauseMillis;
            break;
          case "rewind":
            yield* window.clear();
            window.forget();
            id = found.id;
            break;
          case "fatal":
            yield* window.clear();
            yield* updateHealth(key, { state: "halted" });
            return yield* found.error!;
          default:
            break;
        }
        continue;
      }
      if (state === "halted" || state === "stopped") return undefined;
      if (state !== "tail") yield* updateHealth(key, { state });
      yield* Effect.sleep(waitMillis);
      const failed = state === "backingOff" || state === "retryingBadPage";
      move("timer");
      if (failed) yield* window.retryHead();
    }
  });

  return { pull };
});

const HOUR_MILLIS = 3_600_000;

const errorOf = (exit: Exit.Failure<unknown, FetchError>): FetchError | undefined => {
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
