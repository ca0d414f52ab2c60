/**
 * What stands before every route: a rate limit and a number of streams for each address, the largest
 * body, headers, and one form of every refusal.
 */
import { ByteSize, Context, Effect, Layer, Option } from "effect";
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

/** Headers that every answer of a status has. */
const headersOf = (status: number): Readonly<Record<string, string>> => ({
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
  ...(status === 413 && { connection: "close" }),
  ...((status === 429 || status === 503) && { "retry-after": "1" }),
});

const problem = (status: number, headers: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.jsonUnsafe(
    { type: "about:blank", title: STATUS_CODES[status], status },
    { status, contentType: "application/problem+json", headers },
  );

/** The address that limits count by: of IPv6 the first 64 bits, since one host has all of the rest. */
export const addressOf = ({ remoteAddress }: Request): string =>
  networkOf(Option.getOrUndefined(remoteAddress));

/** An IPv4 address as it is, mapped into IPv6 or not; of an IPv6 address its /64. */
export const networkOf = (address = "unknown"): string => {
  const parsed = Option.getSuccess(NetAddress.ipFromString(address.split("%", 1)[0]!));
  if (Option.isNone(parsed) || !NetAddress.isIpv6Address(parsed.value)) return address;
  return Option.match(NetAddress.fromIpv4Mapped(parsed.value), {
    onNone: () => IpNetwork.format(IpNetwork.fromAddressUnsafe(parsed.value, 64)),
    onSome: NetAddress.formatIp,
  });
};

/** Probes of health, which come often and from one address, are not counted, spelled as here. */
export const HEALTH = ["/health", "/health/live", "/health/ready", "/health/caught-up"] as const;

/** The methods of each path, found as the router finds them. */
const methodsOf = (files: Iterable<string>) => {
  const known = FindMyWay.make<true>();
  for (const path of [...files, "/openapi.json", ...HEALTH])
    known.on("GET", path as `/${string}`, true);
  for (const { endpoints } of Object.values(Api.groups))
    for (const { method, path } of Object.values(endpoints)) known.on(method, path, true);
  return (url: string) => ["GET", "POST"].filter((method) => known.find(method, url) !== undefined);
};

/** What is wrong with a request before its route is known. */
const refusalOf = (request: Request): Response | undefined => {
  const { "content-encoding": coding = "identity", "content-length": length } = request.headers;
  if (!/^identity$/iu.test(coding)) return problem(415, { "accept-encoding": "identity" });
  // A body without a length is counted while it is read.
  return Number(length ?? 0) > MOST_BODY_BYTES ? problem(413) : undefined;
};

/**
 * Whether an address has a request left, of a bucket that a second fills by a quarter. Every request
 * is counted, so that no spelling of a path (`//api/search`, `/%61pi/search`, `/api/%ff`) is free.
 */
export const admission = (ratePerSecond: number) =>
  Layer.build(Layer.provide(RateLimiter.layer, RateLimiter.layerStoreMemory)).pipe(
    Effect.map((context) => (address: string | undefined) => {
      const bucket = {
        key: networkOf(address),
        limit: ratePerSecond * 4,
        window: "4 seconds",
      } as const;
      const limiter = Context.get(context, RateLimiter.RateLimiter);
      return Effect.isSuccess(limiter.consume({ ...bucket, algorithm: "token-bucket" }));
    }),
  );

/** Guards every route. */
export const guard = (
  admit: (address: string | undefined) => Effect.Effect<boolean>,
  files: Iterable<string>,
) => {
  const methodsAt = methodsOf(files);
  /** A refusal without a body of its own, and what the router and the API do not know. */
  const toProblem = ({ body, headers, status }: Response, { url }: Request) => {
    if (status < 400 || (body._tag !== "Empty" && status !== 415)) return undefined;
    const allow = methodsAt(url).join(", ").replace("GET", "GET, HEAD");
    if (status === 404 && allow !== "") return problem(405, { allow });
    return problem(status, body._tag === "Empty" ? headers : {});
  };
  return HttpRouter.middleware(
    Effect.succeed(
      <E>(httpEffect: Effect.Effect<Response, E>): Effect.Effect<Response, E, Request> =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest;
          const isFree = HEALTH.some((path) => path === request.url.split("?", 1)[0]);
          if (!isFree && !(yield* admit(Option.getOrUndefined(request.remoteAddress))))
            return withHeaders(problem(429));
          const refusal = refusalOf(request);
          if (refusal !== undefined) return withHeaders(refusal);
          const response = yield* Effect.catchCause(httpEffect, (cause) =>
            Effect.map(HttpServerError.causeResponse(cause), ([failed]) => failed),
          );
          return withHeaders(toProblem(response, request) ?? response);
        }).pipe(
          Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(MOST_BODY_BYTES)),
        ),
    ),
    { global: true },
  );
};

const withHeaders = (response: Response): Response =>
  HttpServerResponse.setHeaders(response, { ...headersOf(response.status), ...response.headers });

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
