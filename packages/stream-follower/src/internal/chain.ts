/**
 * One stream from its first request to its last: the interpreter of `Machine.table`.
 *
 * `pull` hands out one page after another. It owns every decision about ids: what a page is, whether its id may be followed, and
 * how long to wait before the same id is asked for again. It knows nothing of sinks.
 */
import { type Cause, Clock, Effect, Exit, Random, type Scope } from "effect";
import { envelope } from "../Decode.ts";
import { type FetchError, type FollowError, IdRejected, StuckStream } from "../Errors.ts";
import { note } from "../Health.ts";
import { type EventName, type StateName, type Step, transition } from "../Machine.ts";
import * as Metrics from "../Metrics.ts";
import type { GapRecord, Page, QuarantineRecord, StreamKey } from "../Model.ts";
import type { Settings } from "../Options.ts";
import type { PageSourceService } from "../PageSource.ts";
import { judge, sha256, type Verdict } from "./judge.ts";
import { LookAhead } from "./lookAhead.ts";
import { inflate } from "./inflate.ts";
import type { FetchedPage } from "./fetchPage.ts";

/** Where a chain begins. */
export interface ChainStart {
  /** `undefined`: the beginning of the history. */
  readonly id: string | undefined;
  readonly seq: bigint;
  /** Hash of the page that led to `id`, if there is one. */
  readonly sha256: string | undefined;
}

/** What a chain can be asked. */
export interface Chain {
  /** The next page; `undefined` when `until: "caughtUp"` is reached. */
  readonly pull: Effect.Effect<Page | undefined, FollowError>;
}

/** Opens a chain; its requests live in the scope. */
export const makeChain = Effect.fnUntraced(function* (
  source: PageSourceService,
  key: StreamKey,
  settings: Settings,
  start: ChainStart,
): Effect.fn.Return<Chain, never, Scope.Scope> {
  const scope = yield* Effect.scope;
  const gauges = { bytes: 0, pages: 0 };
  const window = new LookAhead({
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

  let state: StateName = "requesting";
  let id = start.id;
  let lastSeq = start.seq;
  let lastSha = start.sha256;
  let polling = false;
  let attempts = 0;
  let suspicions = 0;
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
    const begun = yield* Clock.currentTimeMillis;
    const raw = yield* inflate(fetched.wire, fetched.encoding, settings.maxPageBytes);
    const inflated = yield* Clock.currentTimeMillis;
    const parsed = yield* envelope(raw, key.source).pipe(
      // A 404 of the exchange that holds no page is what it says: the id is refused.
      Effect.mapError((error) =>
        fetched.status === 404 ? new IdRejected({ id: id ?? "", status: 404 }) : error,
      ),
    );
    const done = yield* Clock.currentTimeMillis;
    yield* Metrics.record(Metrics.stageMillis, key, inflated - begun, { stage: "inflate" });
    yield* Metrics.record(Metrics.stageMillis, key, done - inflated, { stage: "parse" });
    return { raw, parsed };
  });

  const answer = Effect.gen(function* () {
    const begun = yield* Clock.currentTimeMillis;
    const fetched = yield* yield* window.await(id);
    yield* Metrics.record(Metrics.stageMillis, key, (yield* Clock.currentTimeMillis) - begun, {
      stage: "fetch",
    });
    const { raw, parsed } = yield* read(fetched);
    return { fetched, raw, parsed };
  });

  const retry = (error: FetchError) =>
    Metrics.record(Metrics.retries, key, 1, { error: error._tag });

  const backoff = Effect.fnUntraced(function* (floor: number) {
    const ceiling = Math.min(settings.backoffCapMillis, settings.backoffBaseMillis * 2 ** attempts);
    attempts += 1;
    return Math.max(floor, ceiling * (yield* Random.next));
  });

  /** A failed answer as an event of the machine. */
  const judgeFailure = Effect.fnUntraced(function* (error: FetchError): Effect.fn.Return<Verdict> {
    if (error._tag === "Unauthorized" || error._tag === "Forbidden") return fatal(error);
    if (error.retryable) {
      if (attempts >= settings.maxRetries) return fatal(error);
      yield* retry(error);
      const floor = "retryAfterMillis" in error ? (error.retryAfterMillis ?? 0) : 0;
      waitMillis = yield* backoff(floor);
      if (error._tag !== "RateLimited") return { event: "transient" };
      window.holdBack((yield* Clock.currentTimeMillis) + waitMillis);
      return { event: "limited" };
    }
    const tries = suspicions;
    if (tries < settings.spacedMillis.length) {
      yield* retry(error);
      waitMillis = settings.spacedMillis[tries] ?? 0;
      suspicions += 1;
      return { event: "suspect" };
    }
    return yield* giveUp(error, tries + 1);
  });

  /** The tries are used up: the policy decides. */
  const giveUp = Effect.fnUntraced(function* (
    error: FetchError,
    tries: number,
  ): Effect.fn.Return<Verdict> {
    suspicions = 0;
    if (error._tag === "IdRejected") {
      if (settings.onIdRejected === "halt" || id === undefined) return fatal(error);
      const to =
        settings.onIdRejected === "restartFromStart" ? undefined : settings.onIdRejected.jumpTo;
      if (to === id) return fatal(error);
      const kind = to === undefined ? "restarted" : "jumped";
      gaps.push({ kind, from: id, to: to ?? "" });
      return { event: "rewind", id: to };
    }
    const head =
      error._tag === "MalformedPage"
        ? { kind: "page" as const, id: error.headId, bytes: error.raw }
        : error._tag === "OversizedPage" && settings.onOversized === "skip"
          ? { kind: "head" as const, id: window.hintOfHead(), bytes: error.head }
          : undefined;
    const usable = head?.id !== undefined && head.id !== id && !window.wasVisited(head.id);
    if (head !== undefined && head.id !== undefined && usable) {
      quarantine.push({
        kind: head.kind,
        requestedId: id,
        nextId: head.id,
        errorTag: error._tag,
        message: error.message,
        bytes: head.bytes,
        tries,
      });
      return { event: "data", page: { nextId: head.id, raw: new Uint8Array(), rows: [] } };
    }
    yield* window.clear();
    if (error._tag === "MalformedPage" && settings.onUnreadable === "pause") {
      return { event: "violation" };
    }
    return fatal(error);
  });

  const next = Effect.gen(function* (): Effect.fn.Return<Verdict> {
    const exit = yield* Effect.exit(answer);
    if (Exit.isFailure(exit)) {
      const error = errorOf(exit);
      if (error !== undefined) return yield* judgeFailure(error);
      return yield* Effect.failCause(exit.cause as Cause.Cause<never>);
    }
    const { fetched, raw, parsed } = exit.value;
    attempts = 0;
    suspicions = 0;
    const page = { ...parsed, raw, fetched };
    const verdict = judge(page, {
      key,
      settings,
      requestedId: id,
      lastSha,
      wasVisited: (other) => window.wasVisited(other),
    });
    for (const kind of verdict.violations ?? []) {
      yield* Metrics.record(Metrics.violations, key, 1, { kind });
      yield* Effect.logWarning(`${key.source}/${key.realm}: ${kind} at ${id} -> ${parsed.nextId}`);
    }
    if (verdict.gap !== undefined) gaps.push(verdict.gap);
    if (verdict.event === "tail" || verdict.atTail === true) {
      const hour = key.source === "exchange" ? yield* untilNextHour(fetched.servedAt) : undefined;
      waitMillis =
        hour ?? Math.min(settings.idleCapMillis, settings.idleFirstMillis * 2 ** idlePolls);
    }
    if (parsed.nextId === id && parsed.rows.length > 0) {
      sameIdAnswers += 1;
      if (sameIdAnswers >= settings.stuckAfter) {
        return fatal(new StuckStream({ id, tries: sameIdAnswers }));
      }
    } else sameIdAnswers = 0;
    return verdict;
  });

  /** The service's clock decides where it is known: the hour must be over there, not here. */
  const untilNextHour = Effect.fnUntraced(function* (servedAt: number | undefined) {
    const now = servedAt ?? (yield* Clock.currentTimeMillis);
    const jitter = (yield* Random.next) * settings.hourJitterMillis;
    return HOUR_MILLIS - (now % HOUR_MILLIS) + jitter;
  });

  const enterTail = Effect.gen(function* () {
    idlePolls += 1;
    polling = true;
    const now = yield* Clock.currentTimeMillis;
    yield* note(key, { state: "tail", caughtUp: true, lastTailAt: now });
    yield* Metrics.record(Metrics.caughtUp, key, 1);
    yield* Metrics.record(Metrics.lagSeconds, key, 0);
  });

  const deliver = Effect.fnUntraced(function* (
    page: NonNullable<Verdict["page"]>,
    atTail: boolean,
  ): Effect.fn.Return<Page> {
    const hash = sha256(page.raw);
    const seq = nextSeq(key, id, page.nextId, lastSeq);
    const delivered: Page = {
      key,
      requestedId: id,
      nextId: page.nextId,
      seq,
      previousSeq: lastSeq,
      receivedAt: page.fetched?.receivedAt ?? (yield* Clock.currentTimeMillis),
      raw: page.raw,
      wireBytes: page.fetched?.wire.length ?? 0,
      sha256: hash,
      rows: page.rows,
      quarantine,
      gaps,
      caughtUp: polling,
    };
    leadsOn = !atTail;
    lastSeq = seq;
    lastSha = hash;
    gaps = [];
    quarantine = [];
    if (page.rows.length > 0) idlePolls = 0;
    const { mismatch } = yield* window.advance(page.nextId, leadsOn);
    if (mismatch) yield* Metrics.record(Metrics.violations, key, 1, { kind: "HintMismatch" });
    if (leadsOn) yield* window.prefetch(page.nextId);
    id = page.nextId;
    yield* note(key, { state: "delivering", ...(atTail ? {} : { caughtUp: polling }) });
    yield* Metrics.record(Metrics.windowBytes, key, gauges.bytes);
    yield* Metrics.record(Metrics.windowPages, key, gauges.pages);
    return delivered;
  });

  const pull: Chain["pull"] = Effect.gen(function* () {
    if (state === "delivering") {
      if (leadsOn) move("pulled");
      else {
        move("pulledAtTail");
        yield* enterTail;
        if (settings.until === "caughtUp") tailReached = true;
      }
    }
    while (true) {
      if (tailReached) return undefined;
      if (state === "requesting") {
        const verdict = yield* next;
        move(verdict.event);
        switch (verdict.event) {
          case "data":
            return yield* deliver(verdict.page!, verdict.atTail === true);
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
            id = verdict.id;
            lastSha = undefined;
            break;
          case "fatal":
            yield* window.clear();
            yield* note(key, { state: "halted" });
            return yield* verdict.error!;
          default:
            break;
        }
        continue;
      }
      if (state === "halted" || state === "stopped") return undefined;
      if (state !== "tail") yield* note(key, { state });
      yield* Effect.sleep(waitMillis);
      const failed = state === "backingOff" || state === "probing";
      move("timer");
      if (failed) yield* window.replaceHead();
    }
  });

  return { pull };
});

const HOUR_MILLIS = 3_600_000;

const fatal = (error: FollowError): Verdict => ({ event: "fatal", error });

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
