/**
 * What stands before every route: a rate limit and a number of streams for each address, the largest
 * body, headers, and one form of every refusal.
 */
import { ByteSize, Effect, Layer, Option } from "effect";
import {
  FindMyWay,
  HttpIncomingMessage,
  HttpRouter,
  HttpServerError,
  HttpServerRequest,
  HttpServerResponse,
} from "effect/http";
import { IpNetwork, NetAddress } from "effect/net";
import { RateLimiter } from "effect/persistence";
import { STATUS_CODES } from "node:http";
import { Api, TooManyStreams } from "./Api.ts";

type Request = HttpServerRequest.HttpServerRequest;
type Response = HttpServerResponse.HttpServerResponse;

/** Bytes of a body; it is refused before it is parsed. */
const MOST_BODY_BYTES = 65_536;

/** Streams (`/api/watch`, `/api/live`) that are open at once: of one address, and of all. */
const MOST_STREAMS_OF_ONE = 16;
export const MOST_STREAMS = 400;

/** Headers of every answer that does not have stricter ones. */
const HEADERS = { "x-content-type-options": "nosniff", "referrer-policy": "same-origin" };

const problem = (status: number, headers: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.jsonUnsafe(
    { type: "about:blank", title: STATUS_CODES[status], status },
    { status, contentType: "application/problem+json", headers },
  );

/** The address that limits count by: of IPv6 the first 64 bits, since one host has all of the rest. */
export const addressOf = ({ remoteAddress }: Request): string =>
  networkOf(Option.getOrElse(remoteAddress, () => "unknown"));

/** An IPv4 address as it is, mapped into IPv6 or not; of an IPv6 address its /64. */
export const networkOf = (address: string): string => {
  const parsed = Option.getSuccess(NetAddress.ipFromString(address.split("%", 1)[0]!));
  if (Option.isNone(parsed) || !NetAddress.isIpv6Address(parsed.value)) return address;
  return Option.match(NetAddress.fromIpv4Mapped(parsed.value), {
    onNone: () => IpNetwork.format(IpNetwork.fromAddressUnsafe(parsed.value, 64)),
    onSome: NetAddress.formatIp,
  });
};

/** Probes of health, which come often and from one address, are not counted. No other route begins so. */
const HEALTH = "/health";

/** The methods of each path, found as the router finds them. */
const methodsOf = (files: Iterable<string>) => {
  const known = FindMyWay.make<true>();
  for (const path of [...files, "/openapi.json", `${HEALTH}/*`, HEALTH])
    known.on("GET", path as `/${string}`, true);
  for (const { endpoints } of Object.values(Api.groups))
    for (const { method, path } of Object.values(endpoints)) known.on(method, path, true);
  return (url: string) => ["GET", "POST"].filter((method) => known.find(method, url) !== undefined);
};

/** Whether a request's target is a path, or an absolute URL, that can be read. */
const isTarget = (url: string): boolean => {
  try {
    decodeURI(url.split("?", 1)[0]!);
  } catch {
    return false;
  }
  return url.startsWith("/") || (/^https?:/iu.test(url) && URL.canParse(url));
};

/**
 * Guards every route: a bucket per address, which a second fills by a quarter. Every request is
 * counted, so that no spelling of a path (`//api/search`, `/%61pi/search`, `/api/%ff`) is free.
 */
export const guard = (ratePerSecond: number, files: Iterable<string>) =>
  HttpRouter.middleware(
    Effect.gen(function* () {
      const limiter = yield* RateLimiter.RateLimiter;
      const methodsAt = methodsOf(files);
      const refusalOf = Effect.fnUntraced(function* (request: Request) {
        const bucket = {
          algorithm: "token-bucket",
          key: addressOf(request),
          limit: ratePerSecond * 4,
          window: "4 seconds",
        } as const;
        const isFree = request.url.startsWith(HEALTH);
        if (!isFree && Option.isNone(yield* Effect.option(limiter.consume(bucket))))
          return problem(429);
        if (!isTarget(request.url)) return problem(400);
        // A body without a length is counted while it is read.
        const length = Number(request.headers["content-length"] ?? 0);
        return length > MOST_BODY_BYTES ? problem(413) : undefined;
      });
      /** A refusal without a body of its own, and what the router and the API do not know. */
      const toProblem = ({ body, status }: Response, { url }: Request) => {
        if (status < 400 || (body._tag !== "Empty" && status !== 415)) return undefined;
        const allow = methodsAt(url).join(", ").replace("GET", "GET, HEAD");
        return status === 404 && allow !== "" ? problem(405, { allow }) : problem(status);
      };
      return <E>(httpEffect: Effect.Effect<Response, E>): Effect.Effect<Response, E, Request> =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest;
          const refusal = yield* refusalOf(request);
          if (refusal !== undefined) return withHeaders(refusal);
          const response = yield* Effect.catchCause(httpEffect, (cause) =>
            Effect.map(HttpServerError.causeResponse(cause), ([failed]) => failed),
          );
          return withHeaders(toProblem(response, request) ?? response);
        }).pipe(
          Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(MOST_BODY_BYTES)),
        );
    }),
    { global: true },
  ).pipe(Layer.provide(RateLimiter.layer), Layer.provide(RateLimiter.layerStoreMemory));

const withHeaders = (response: Response): Response =>
  HttpServerResponse.setHeaders(response, {
    ...HEADERS,
    ...(response.status === 413 && { connection: "close" }),
    ...((response.status === 429 || response.status === 503) && { "retry-after": "1" }),
    ...response.headers,
  });

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
                ? `${ofOne} streams are open from ${address}; close one, or come back later.`
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
