/**
 * What stands before the handlers of the API: a rate limit and a number of streams for each
 * address, the largest body, and headers.
 *
 * It is provided to the routes, behind the router: a path that is spelled in another way
 * (`//api/search`, `/API/search`, `/%61pi/search`) reaches the same route, and is counted.
 */
import { ByteSize, Effect, Layer, Option } from "effect";
import {
  HttpIncomingMessage,
  HttpRouter,
  HttpServerRequest,
  HttpServerResponse,
} from "effect/http";
import { RateLimiter } from "effect/persistence";
import { TooManyStreams } from "./Api.ts";

/** Bytes of a body; it is refused before it is parsed. */
const MOST_BODY_BYTES = 65_536;

/** Streams (`/api/watch`, `/api/live`) that are open at once: of one address, and of all. */
const MOST_STREAMS_OF_ONE = 16;
export const MOST_STREAMS = 400;

/** Headers of every answer. */
export const HEADERS = { "x-content-type-options": "nosniff", "referrer-policy": "same-origin" };

const problem = (status: number, title: string, headers: Readonly<Record<string, string>>) =>
  HttpServerResponse.jsonUnsafe(
    { type: "about:blank", title, status },
    { status, contentType: "application/problem+json", headers },
  );

/** The answer where nothing is. */
export const notFound = problem(404, "Not Found", HEADERS);

/** The address that limits count by: of IPv6 the first 64 bits, since one host has all of the rest. */
export const addressOf = ({ remoteAddress }: HttpServerRequest.HttpServerRequest): string =>
  networkOf(Option.getOrElse(remoteAddress, () => "unknown"));

/** An IPv4 address as it is, mapped into IPv6 or not; of an IPv6 address its /64. */
export const networkOf = (address: string): string => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/iu.exec(address)?.[1];
  if (mapped !== undefined || !address.includes(":")) return mapped ?? address;
  const [bare = ""] = address.split("%", 1);
  const [head = "", tail] = bare.split("::");
  const first = head === "" ? [] : head.split(":");
  const last = tail ? tail.split(":") : [];
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => "0");
  const groups = tail === undefined ? first : [...first, ...zeros, ...last];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
};

/** Guards the routes that it is provided to: a bucket per address, which a second fills by a quarter. */
export const guard = (ratePerSecond: number) =>
  HttpRouter.middleware(
    Effect.gen(function* () {
      const limiter = yield* RateLimiter.RateLimiter;
      return (httpEffect) =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest;
          const consumed = yield* limiter
            .consume({
              algorithm: "token-bucket",
              key: addressOf(request),
              limit: ratePerSecond * 4,
              window: "4 seconds",
            })
            .pipe(Effect.option);
          if (Option.isNone(consumed))
            return problem(429, "Too Many Requests", { ...HEADERS, "retry-after": "1" });
          // A body without a length is counted while it is read.
          if (Number(request.headers["content-length"] ?? 0) > MOST_BODY_BYTES)
            return problem(413, "Content Too Large", { ...HEADERS, connection: "close" });
          const response = yield* httpEffect;
          const waits = response.status === 429 || response.status === 503;
          return HttpServerResponse.setHeaders(response, {
            ...HEADERS,
            ...(waits ? { "retry-after": "1" } : {}),
          });
        }).pipe(
          Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(MOST_BODY_BYTES)),
        );
    }),
  ).layer.pipe(Layer.provide(RateLimiter.layer), Layer.provide(RateLimiter.layerStoreMemory));

/** Streams that are open, by address. */
const open = new Map<string, number>();
let total = 0;

/** Counts a stream until the scope of its request closes; refuses one too many. */
export const countStream = Effect.gen(function* () {
  const address = addressOf(yield* HttpServerRequest.HttpServerRequest);
  return yield* Effect.acquireRelease(
    Effect.suspend(() => {
      const ofOne = open.get(address) ?? 0;
      if (ofOne >= MOST_STREAMS_OF_ONE || total >= MOST_STREAMS)
        return Effect.fail(
          new TooManyStreams({
            detail:
              ofOne >= MOST_STREAMS_OF_ONE
                ? `${ofOne} streams are open from this address; close one, or come back later.`
                : "All places for streams are taken; come back later.",
          }),
        );
      open.set(address, ofOne + 1);
      total += 1;
      return Effect.void;
    }),
    () =>
      Effect.sync(() => {
        const left = (open.get(address) ?? 1) - 1;
        if (left > 0) open.set(address, left);
        else open.delete(address);
        total -= 1;
      }),
  );
});
