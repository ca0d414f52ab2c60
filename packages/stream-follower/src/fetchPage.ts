/** Requests a page, judges the response, and reads the body within limits of time and size. */
import { inflate, type InflateError } from "@game-data/contract/inflate";
import { retryAfterMillis } from "@game-data/contract/retryAfter";
import * as Clock from "effect/Clock";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import { crc32 } from "node:zlib";
import { openInTime } from "./attempt.ts";
import { HIDDEN } from "./csv.ts";
import {
  ChangeIdRejected,
  DecompressError,
  type FetchError,
  PageRefused,
  PageTimeout,
  PageTooLarge,
  PageUnavailable,
  TruncatedBody,
} from "./Errors.ts";
import type { PageRequest, PageResponse, PageSourceService } from "./PageSource.ts";
import type { Settings } from "./Options.ts";
import { type ScannedPage, scanPage } from "./readPage.ts";

/** A page whose body has arrived completely. */
export interface FetchedPage extends ScannedPage {
  /** The body as it came over the wire, and its `Content-Encoding`. */
  readonly wire: Uint8Array;
  readonly encoding: string;
  /** The inflated JSON text as bytes. */
  readonly raw: Uint8Array;
  readonly checksum: string;
  readonly receivedAt: number;
  /** Time of the service's clock in milliseconds since 1970, if the response has a `Date`. */
  readonly servedAt: number | undefined;
}

/** Requests a page, and finds its next id. */
export const fetchPage = Effect.fn("Follower.fetchPage")(function* (
  source: PageSourceService,
  request: PageRequest,
  bounds: Settings,
): Effect.fn.Return<FetchedPage, FetchError> {
  const { encoding, response, wire } = yield* receive(source, request, bounds);
  const raw = yield* decompress(wire, encoding, source.codings, bounds.maxPageBytes);
  const page = yield* scanPage(raw, request.source).pipe(
    Effect.mapError((error) =>
      // The exchange refuses an id by a 404 whose body is not a page.
      response.status === 404 ? rejected(request, response, raw) : error,
    ),
  );
  const servedAt = Date.parse(response.headers["date"] ?? "");
  return {
    ...page,
    wire,
    encoding,
    raw,
    checksum: checksum(raw),
    receivedAt: Math.floor(yield* Clock.currentTimeMillis),
    servedAt: Number.isNaN(servedAt) ? undefined : servedAt,
  };
});

/** Reads the response, and frees its connection before the page is decompressed. */
const receive = Effect.fnUntraced(function* (
  source: PageSourceService,
  request: PageRequest,
  bounds: Settings,
) {
  const response = yield* openInTime(source, request);
  const encoding = (response.headers["content-encoding"] ?? "").trim().toLowerCase();
  const error = verdict(request, response, yield* Clock.currentTimeMillis);
  if (error?._tag === "ChangeIdRejected") {
    // The body only explains the refusal in a message, so it gets 2 seconds.
    const limits = {
      ...bounds,
      maxPageBytes: MAX_REFUSAL_BYTES,
      totalTimeout: "2 seconds",
    } as const;
    const body = yield* readBody(response, limits).pipe(
      Effect.flatMap((wire) => decompress(wire, encoding, source.codings, MAX_REFUSAL_BYTES)),
      Effect.orElseSucceed(() => new Uint8Array()),
    );
    return yield* rejected(request, response, body);
  }
  if (error !== undefined) return yield* error;
  return { encoding, response, wire: yield* readBody(response, bounds) };
}, Effect.scoped);

/**
 * Returns the error of a response that is not a page, by its status and headers alone.
 *
 * The service writes JSON or nothing. HTML and other text come from a firewall or proxy in front of
 * it, which knows neither token nor id, so such a response does not end the run.
 */
const verdict = (
  request: PageRequest,
  { headers, status }: Omit<PageResponse, "body">,
  now: number,
): PageUnavailable | PageRefused | ChangeIdRejected | undefined => {
  const wait = retryAfterMillis(headers, now);
  const response = {
    status,
    ...(wait === undefined ? {} : { retryAfter: Duration.millis(wait) }),
  };
  const isRefusal = status >= 400 && status < 500;
  if (status === 429) return new PageUnavailable({ reason: "rateLimited", ...response });
  if ((status === 200 || isRefusal) && isForeign(headers)) {
    return new PageUnavailable({ reason: "blocked", answeredBy: responder(headers), ...response });
  }
  // A 404 of the exchange may be a page, because live deployments send the current hour with this
  // status and an ordinary body.
  if (status === 200 || (status === 404 && request.source === "exchange")) return undefined;
  if (status === 401) return new PageRefused({ reason: "unauthorized" });
  if (status === 403)
    return new PageRefused({ reason: "forbidden", scope: SCOPES[request.source] });
  if (!isRefusal || status === 408 || status === 425) {
    return new PageUnavailable({ reason: "server", ...response });
  }
  return new ChangeIdRejected({ id: request.id ?? "", status });
};

const MAX_REFUSAL_BYTES = 16_384;

/** Returns the error of a change id that the service refuses, with the service's message (§7). */
const rejected = ({ id = "" }: PageRequest, { status }: PageResponse, body: Uint8Array) => {
  let detail: string | undefined;
  try {
    // A large body is cut. It is no longer JSON then, and is ignored.
    const text = Buffer.from(body.subarray(0, MAX_REFUSAL_BYTES)).toString();
    const { error } = JSON.parse(text) as { error: { message: unknown } };
    if (typeof error.message === "string") detail = printable(error.message, 200);
  } catch {
    // A refusal need not have a body.
  }
  return new ChangeIdRejected({ id, status, detail });
};

const SCOPES = { stashes: "service:psapi", exchange: "service:cxapi" } as const;

/** Whether the media type is HTML or another text, which the service does not send. */
const isForeign = (headers: PageResponse["headers"]): boolean => {
  const type = (headers["content-type"] ?? "").toLowerCase();
  return /^text\/|html/u.test(type) && !type.includes("json") && headers["content-length"] !== "0";
};

/** Describes the program that responded, for example `text/html, cloudflare`. */
const responder = (headers: PageResponse["headers"]): string =>
  [headers["content-type"], headers["server"]]
    .filter((text) => text !== undefined)
    .map((text) => printable(text, 60))
    .join(", ");

/** Makes text of unknown authors safe for a line of the log, and cuts it to `length`. */
const printable = (text: string, length: number): string =>
  text.replaceAll(HIDDEN, " ").trim().slice(0, length);

const readBody = (
  { body, headers }: PageResponse,
  { maxPageBytes, stallTimeout, totalTimeout }: Settings,
): Effect.Effect<Uint8Array, TruncatedBody | PageTimeout | PageTooLarge> =>
  Effect.gen(function* () {
    const chunks: Array<Uint8Array> = [];
    let size = 0;
    const truncated = (detail: string) => new TruncatedBody({ received: size, detail });
    yield* Stream.fromAsyncIterable(body, (cause) =>
      truncated(cause instanceof Error ? cause.message : "the connection broke"),
    ).pipe(
      Stream.timeoutOrElse({
        duration: stallTimeout,
        orElse: () => Stream.fail(new PageTimeout({ reason: "stall" })),
      }),
      Stream.runForEach((chunk) => {
        size += chunk.length;
        chunks.push(chunk);
        return size > maxPageBytes
          ? Effect.fail(new PageTooLarge({ limit: maxPageBytes, reason: "wire" }))
          : Effect.void;
      }),
      Effect.timeoutOrElse({
        duration: totalTimeout,
        orElse: () => Effect.fail(new PageTimeout({ reason: "total" })),
      }),
    );
    const length = headers["content-length"];
    if (length !== undefined && Number(length) !== size) {
      return yield* truncated(`Content-Length is ${length}`);
    }
    return Buffer.concat(chunks, size);
  });

/** Inflates a body, on zlib's threads if it is large. */
const decompress = (
  wire: Uint8Array,
  encoding: string,
  codings: PageSourceService["codings"],
  limit: number,
): Effect.Effect<Uint8Array, DecompressError | TruncatedBody | PageTooLarge> =>
  Effect.tryPromise({
    try: () => inflate(wire, encoding, { limit, codings }),
    catch: (cause) => {
      const { message, reason } = cause as InflateError;
      if (reason === "too-large") return new PageTooLarge({ limit, reason: "inflated" });
      return reason === "truncated"
        ? new TruncatedBody({ received: wire.length, detail: message })
        : new DecompressError({ encoding, detail: message });
    },
  });

/**
 * Returns CRC-32 and length of a JSON text, to recognise a page that is served twice. They do not
 * protect against a service that forges pages.
 */
export const checksum = (raw: Uint8Array): string =>
  `${crc32(raw).toString(16).padStart(8, "0")}-${raw.length.toString(16)}`;
