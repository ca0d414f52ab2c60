/**
 * One request from the first byte to the last: status, timers, size limit, early id.
 *
 * The bytes are kept as they came over the wire. Inflating waits until it is the page's turn, so
 * that a window of pages that wait for a slow sink costs what it cost on the wire.
 */
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { type FetchError, PageTimeout, TruncatedBody } from "../Errors.ts";
import type { PageRequest, PageResponse, PageSourceService } from "../PageSource.ts";
import type { Settings } from "../Options.ts";
import { own } from "./ownedBytes.ts";
import { NextIdScanner } from "./NextIdScanner.ts";
import { pageTooLarge } from "./inflate.ts";
import { judgeResponse } from "./judgeResponse.ts";

/** A body as it came over the wire. */
export interface FetchedPage {
  readonly status: number;
  readonly wire: Uint8Array;
  readonly encoding: string;
  readonly receivedAt: number;
  /** The service's own clock (`Date`), where it names one. */
  readonly servedAt: number | undefined;
}

/** Callbacks of the window while a body arrives. */
interface FetchObserver {
  /** Called before more bytes are read; suspends while the window is full. */
  readonly admit: Effect.Effect<void>;
  /** Called with the size of every piece. */
  readonly received: (bytes: number) => void;
  /** Called once, when the next id is visible. */
  readonly foundNextId: (id: string) => Effect.Effect<void>;
}

/** Requests a page and reads it whole. */
export const fetchPage = (
  source: PageSourceService,
  request: PageRequest,
  limits: Settings,
  observer: FetchObserver,
): Effect.Effect<FetchedPage, FetchError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const response = yield* source.open(request);
      yield* judgeResponse(request, response);
      return yield* readBody(response, limits, observer, source.codings);
    }),
  );

const readBody = Effect.fnUntraced(function* (
  response: PageResponse,
  limits: Settings,
  observer: FetchObserver,
  codings: PageSourceService["codings"],
): Effect.fn.Return<FetchedPage, FetchError> {
  const encoding = (response.headers["content-encoding"] ?? "").trim().toLowerCase();
  const chunks: Array<Uint8Array> = [];
  let size = 0;
  const watch = new NextIdScanner(encoding, codings);
  const gather = () => (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size));
  const iterator = response.body[Symbol.asyncIterator]();
  const pull = Effect.tryPromise({
    try: () => iterator.next(),
    catch: (cause) => new TruncatedBody({ received: size, detail: describe(cause) }),
  }).pipe(
    Effect.timeoutOrElse({
      duration: limits.stallMillis,
      orElse: () => Effect.fail(new PageTimeout({ kind: "stall" })),
    }),
  );
  let reading = 0;
  let foundNextId = false;
  while (true) {
    // Time in which we do not read because the window is full is nobody's fault and runs on no
    // timer.
    yield* observer.admit;
    const before = yield* Clock.currentTimeMillis;
    const next = yield* pull;
    reading += (yield* Clock.currentTimeMillis) - before;
    if (next.done === true) break;
    if (!(next.value instanceof Uint8Array)) {
      return yield* new TruncatedBody({ received: size, detail: "the body is not made of bytes" });
    }
    chunks.push(next.value);
    size += next.value.length;
    observer.received(next.value.length);
    if (size > limits.maxPageBytes) {
      const bounds = { encoding, codings, limit: limits.maxPageBytes };
      return yield* pageTooLarge("wire", gather(), bounds);
    }
    const id = foundNextId ? undefined : watch.look(size, gather);
    if (id !== undefined) {
      foundNextId = true;
      yield* observer.foundNextId(id);
    }
    const late = tooSlow(limits, reading, size);
    if (late !== undefined) return yield* late;
  }
  yield* checkLength(response, size);
  const served = Date.parse(response.headers["date"] ?? "");
  return {
    status: response.status,
    // A single piece is the source's.
    wire: chunks.length > 1 ? own(gather()) : gather(),
    encoding,
    receivedAt: Math.floor(yield* Clock.currentTimeMillis),
    servedAt: Number.isNaN(served) ? undefined : served,
  };
});

const checkLength = (
  { headers }: PageResponse,
  size: number,
): Effect.Effect<void, TruncatedBody> => {
  const promised = headers["content-length"];
  return promised === undefined || Number(promised) === size
    ? Effect.void
    : Effect.fail(new TruncatedBody({ received: size, detail: `Content-Length says ${promised}` }));
};

/** The slowest body that is endured, after ten seconds of it. */
const SLOWEST_BYTES_PER_SECOND = 1024;
const GRACE_MILLIS = 10_000;

/** Whether reading has taken too long, in all or for its size. */
const tooSlow = (limits: Settings, reading: number, size: number): PageTimeout | undefined => {
  if (reading > limits.totalMillis) return new PageTimeout({ kind: "total" });
  const slowest = (SLOWEST_BYTES_PER_SECOND * (reading - GRACE_MILLIS)) / 1000;
  return size < slowest ? new PageTimeout({ kind: "throughput" }) : undefined;
};

const describe = (cause: unknown): string =>
  cause instanceof Error ? cause.message : "the connection broke";
