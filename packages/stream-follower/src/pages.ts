/**
 * Reads the pages of a stream, beginning at a position.
 *
 * Each page is requested again until it is whole. Its next id is followed unless it leads backwards
 * or in a circle, or the same page is returned again. At the end of the stream the last id is
 * requested again until there are more pages.
 */
import * as Clock from "effect/Clock";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Random from "effect/Random";
import * as Schedule from "effect/Schedule";
import * as Stream from "effect/Stream";
import {
  type FetchError,
  type FollowError,
  MalformedPage,
  ProtocolViolation,
  StuckStream,
} from "./Errors.ts";
import { checksum, type FetchedPage, fetchPage } from "./fetchPage.ts";
import {
  type Checkpoint,
  type GapRecord,
  HOUR_SECONDS,
  hourOf,
  MAX_RECENT_IDS,
  NO_BODY,
  type Page,
  type QuarantineRecord,
  type StreamKey,
} from "./Model.ts";
import type { Settings } from "./Options.ts";
import type { PageSourceService } from "./PageSource.ts";
import * as Status from "./Status.ts";

export interface Position {
  /** The change id to request next. The first page of a stream is requested without an id. */
  readonly id: string | undefined;
  /** Number and checksum of the last page before this position. */
  readonly seq: bigint;
  readonly checksum: string | undefined;
  /** History before this position that was not read. */
  readonly gaps: ReadonlyArray<GapRecord>;
  /** Recent ids, to which the next page must not lead. */
  readonly visited: ReadonlyArray<string>;
  /** Consecutive responses that were empty or led to the same id; `repeats` had new data. */
  readonly polls: number;
  readonly repeats: number;
  /** Milliseconds to wait before the next request. */
  readonly waitMillis: number;
}

const NO_PROGRESS = { gaps: [], visited: [], polls: 0, repeats: 0, waitMillis: 0 };

/** Returns the position of a checkpoint, or the beginning of the history without a checkpoint. */
export const startAt = (checkpoint: Checkpoint | undefined): Position => {
  const { nextId: id, recentIds: visited = [], seq = 0n } = checkpoint ?? {};
  return { ...NO_PROGRESS, id, seq, checksum: checkpoint?.checksum, visited };
};

/**
 * Returns the position at another id, or at the beginning if `id` is undefined. Records the history
 * in between as a gap.
 */
export const moveTo = ({ gaps, id: from, seq }: Position, id: string | undefined): Position => {
  const kind = id === undefined ? "restarted" : "jumped";
  const gap = from === undefined || from === id ? [] : [{ kind, from, to: id ?? "" } as const];
  return { ...NO_PROGRESS, id, seq, checksum: undefined, gaps: [...gaps, ...gap] };
};

/** A page, or the time at which the end of the stream was reached. */
export type Event = { readonly page: Page } | { readonly tailAt: number };

export interface Following {
  readonly key: StreamKey;
  readonly source: PageSourceService;
  readonly settings: Settings;
  /** Whether the sink leaves the rows of a page to readers. */
  readonly isPageLog: boolean;
}

/** Emits the pages after a position, forever or until the stream is caught up. */
export const pages = (following: Following, start: Position): Stream.Stream<Event, FollowError> =>
  Stream.paginate(start, (position) => nextPage(following, position));

type Step = readonly [events: ReadonlyArray<Event>, next: Option.Option<Position>];

const nextPage = Effect.fn("Follower.nextPage")(function* (
  following: Following,
  at: Position,
): Effect.fn.Return<Step, FollowError> {
  const { key, settings } = following;
  yield* Effect.sleep(at.waitMillis);
  const result = yield* Effect.result(requestPage(following, at));
  if (result._tag === "Failure") {
    const restart = rewound(result.failure, at, settings.onIdRejected);
    return restart === undefined ? yield* result.failure : [[], Option.some(restart)];
  }
  const { page, quarantine, tries } = result.success;
  const isSameId = page.nextId === at.id;
  // The store has this page already, or the page is empty.
  const isKnown = isSameId && (page.rowCount === 0 || page.checksum === at.checksum);
  // The stash stream ends with an empty page (§4.2), unless its rows were given up, and the exchange
  // with the requested hour.
  const isEmpty = page.rowCount === 0 && quarantine.length === 0;
  const isTail = key.source === "stashes" ? isEmpty : isSameId;
  const polls = isTail || isSameId ? at.polls + 1 : 0;
  const repeats = isSameId && !isKnown ? at.repeats + 1 : 0;
  if (repeats > MAX_REPEATS) return yield* new StuckStream({ id: page.nextId, tries: repeats });
  const waitMillis =
    polls > 0 ? pollMillis(key, settings, page, { polls, random: yield* Random.next }) : 0;
  const tail = isTail ? [{ tailAt: page.receivedAt }] : [];
  const isEnd = isTail && settings.until === "caughtUp";
  const after = (next: Position) => (isEnd ? Option.none<Position>() : Option.some(next));
  if (isKnown) return [tail, after({ ...at, polls, repeats, waitMillis })];
  const found = makePage(following, at, page, { quarantine, tries });
  const { checksum: sum, nextId: id, seq } = found;
  const visited = [...at.visited, at.id ?? ""].slice(-MAX_RECENT_IDS);
  const next = { id, seq, checksum: sum, gaps: [], visited, polls, repeats, waitMillis };
  return [[{ page: found }, ...tail], after(next)];
});

/** After this many responses with new data under one id, the run fails with `StuckStream`. */
const MAX_REPEATS = 100;

/** A page, its number of requests, and its quarantine record if its body was given up. */
interface Requested {
  readonly page: FetchedPage;
  readonly tries: number;
  readonly quarantine: ReadonlyArray<QuarantineRecord>;
}

/**
 * Requests a page until it is whole. Transport faults are retried up to `maxRetries` times. A
 * response that may never become valid is requested again after each of `badPageRetryDelays`, and
 * is then given up if its next id is readable.
 */
const requestPage = Effect.fnUntraced(function* (
  { key, settings, source }: Following,
  at: Position,
) {
  const responseTimeoutMillis = Duration.toMillis(settings.responseTimeout);
  const request = { ...key, id: at.id, responseTimeoutMillis };
  const delays = settings.badPageRetryDelays.map((delay) => Duration.toMillis(delay));
  let tries = 0;
  let isSecondDamage = delays.length === 0;
  const attempt = Effect.gen(function* () {
    tries += 1;
    const page = yield* fetchPage(source, request, settings);
    // A second request may return the page undamaged. If not, the page is accepted, and only its
    // damaged rows are lost.
    if (page.damage !== undefined && !isSecondDamage) {
      isSecondDamage = true;
      return yield* new MalformedPage({ detail: page.damage, raw: page.raw });
    }
    const violation = leadsBack(key, at, page);
    return violation === undefined ? page : yield* violation;
  });
  const waitFor = (millis: number) =>
    Status.retryIn(key, "source", Math.max(MIN_INTERVAL_MILLIS, millis));
  const transient = Schedule.recurs(settings.maxRetries).pipe(
    Schedule.setInputType<FetchError | ProtocolViolation>(),
    Schedule.modifyDelay(({ attempt: nth, input }) =>
      Effect.flatMap(Random.next, (random) => waitFor(retryMillis(input, nth, random, settings))),
    ),
  );
  const suspect = Schedule.recurs(delays.length).pipe(
    Schedule.modifyDelay(({ attempt: nth }) => waitFor(delays[nth - 1] ?? 0)),
  );
  return yield* attempt.pipe(
    Status.track(key, "source"),
    Effect.retry({ while: ({ isRetryable }) => isRetryable, schedule: transient }),
    Effect.retry({ while: ({ _tag }) => SUSPECT.has(_tag), schedule: suspect }),
    Effect.map((page): Requested => ({ page, tries, quarantine: [] })),
    Effect.catchTag("MalformedPage", (error) => givenUp(error, at, tries)),
  );
});

/** Errors of responses that may never become valid. */
const SUSPECT = new Set(["MalformedPage", "PageTooLarge", "ChangeIdRejected"]);

/** The same id is requested at most twice a second, whatever the options are. */
const MIN_INTERVAL_MILLIS = 500;
/** Time between requests while a firewall or a maintenance page responds for the service. */
const BLOCKED_MILLIS = 15_000;
/** Time between requests while the stream leads back or repeats a page. */
const VIOLATION_MILLIS = 60_000;

/** Returns the milliseconds to wait after the `attempt`-th failure in a row. */
const retryMillis = (
  error: FetchError | ProtocolViolation,
  attempt: number,
  random: number,
  { backoff: { base, cap } }: Settings,
): number => {
  if (error._tag === "ProtocolViolation") return VIOLATION_MILLIS;
  // A request that timed out has waited already, so its back-off does not grow.
  const doublings = error._tag === "PageTimeout" ? 0 : attempt - 1;
  const ceiling = Math.min(Duration.toMillis(cap), Duration.toMillis(base) * 2 ** doublings);
  const backoff = ceiling * (0.5 + random / 2);
  if (error._tag !== "PageUnavailable") return backoff;
  const blocked = error.reason === "blocked" ? BLOCKED_MILLIS : 0;
  return Math.max(backoff, blocked, Duration.toMillis(error.retryAfter ?? 0));
};

/** Returns an error if a page leads backwards or in a circle, or repeats the page before it. */
const leadsBack = (
  { source }: StreamKey,
  { checksum: previous, id = "", visited }: Position,
  { checksum: sum, nextId, rowCount }: FetchedPage,
): ProtocolViolation | undefined => {
  if (source === "exchange" && id !== "" && Number(nextId) < Number(id)) {
    return new ProtocolViolation({ reason: "backwards", id, nextId });
  }
  if (source === "stashes" && nextId === id && rowCount > 0 && sum === previous) {
    return new ProtocolViolation({ reason: "repeated", id, nextId });
  }
  return nextId !== id && visited.includes(nextId)
    ? new ProtocolViolation({ reason: "cycle", id, nextId })
    : undefined;
};

/** Quarantines a malformed page whose next id is readable, and returns an empty page instead. */
const givenUp = Effect.fnUntraced(function* (
  error: MalformedPage,
  { id, visited }: Position,
  tries: number,
) {
  const { _tag: errorTag, headId: nextId, message, raw: bytes } = error;
  if (nextId === undefined || nextId === id || visited.includes(nextId)) return yield* error;
  const receivedAt = Math.floor(yield* Clock.currentTimeMillis);
  const page: FetchedPage = {
    ...NO_BODY,
    nextId,
    receivedAt,
    damage: undefined,
    servedAt: undefined,
    checksum: checksum(NO_BODY.raw),
  };
  return { page, tries, quarantine: [{ errorTag, message, bytes }] };
});

/** Returns where a run continues after a refused id, or `undefined` if the run has to fail. */
const rewound = (
  error: FetchError | ProtocolViolation,
  at: Position,
  onIdRejected: Settings["onIdRejected"],
): Position | undefined => {
  if (error._tag !== "ChangeIdRejected" || onIdRejected === "halt") return undefined;
  const to = onIdRejected === "restartFromStart" ? undefined : onIdRejected.jumpTo;
  return at.id === undefined || at.id === to ? undefined : moveTo(at, to);
};

/**
 * Returns the milliseconds to wait at the end of a stream: the poll interval of the stash stream,
 * and the time until the next hour of the service's clock for the exchange.
 */
const pollMillis = (
  { source }: StreamKey,
  { pollInterval: { max, min } }: Settings,
  { receivedAt, servedAt = receivedAt }: FetchedPage,
  { polls, random }: { readonly polls: number; readonly random: number },
): number =>
  source === "stashes"
    ? Math.max(
        MIN_INTERVAL_MILLIS,
        Math.min(Duration.toMillis(max), Duration.toMillis(min) * 2 ** (polls - 1)),
      )
    : HOUR_MILLIS - (servedAt % HOUR_MILLIS) + random * MAX_JITTER_MILLIS;

const HOUR_MILLIS = 1000 * HOUR_SECONDS;
/** Spreads the requests of several followers after the hour. */
const MAX_JITTER_MILLIS = 30_000;

const makePage = (
  { isPageLog, key }: Following,
  at: Position,
  fetched: FetchedPage,
  requests: Pick<Requested, "quarantine" | "tries">,
): Page => {
  const { damage: _, raw, servedAt: __, ...facts } = fetched;
  const { nextId, wire } = facts;
  const rawBytes = raw.length;
  if (isPageLog && raw !== wire) free(raw);
  const expected = Number(at.id) + HOUR_SECONDS;
  const isSkip = key.source === "exchange" && at.id !== undefined && Number(nextId) > expected;
  const skipped = { kind: "skipped", from: String(expected), to: nextId } as const;
  // After a restart from the beginning, the gap ends at the hour of the first exchange page.
  const hour = key.source === "exchange" ? String(hourOf({ requestedId: at.id, nextId })) : "";
  const gaps = at.gaps.map((gap) => (gap.to === "" ? { ...gap, to: hour } : gap));
  return {
    ...facts,
    ...requests,
    key,
    requestedId: at.id,
    seq: nextSeq(key, at, nextId),
    previousSeq: at.seq,
    raw: isPageLog ? NO_BODY.raw : raw,
    rawBytes,
    gaps: isSkip ? [...gaps, skipped] : gaps,
  };
};

/**
 * Frees inflated bytes at once, because their garbage collection would take a third of the CPU time
 * of a page (`pnpm bench follower`). Small buffers stay, because they share their memory.
 */
const free = ({ buffer, length }: Uint8Array): void => {
  if (length > 65_536 && buffer instanceof ArrayBuffer) buffer.transfer(0);
};

/** Returns a page's number: the next number, or for the exchange its hour if it is higher. */
const nextSeq = ({ source }: StreamKey, { id, seq }: Position, nextId: string): bigint => {
  if (source === "stashes") return seq + 1n;
  const hour = BigInt(hourOf({ requestedId: id, nextId }));
  return hour > seq ? hour : seq + 1n;
};
