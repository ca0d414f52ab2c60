/**
 * Limits the requests and streams of each address, and the size of bodies. Each refusal is a
 * problem document.
 */
import { ByteSize, type Cause, Effect, Layer, Option } from "effect";
import {
  HttpIncomingMessage,
  HttpRouter,
  HttpServerError,
  HttpServerRequest,
  HttpServerResponse,
} from "effect/http";
import { IpNetwork, NetAddress } from "effect/net";
import { RateLimiter } from "effect/persistence";
import { STATUS_CODES } from "node:http";
import { TooManyStreams } from "./Api.ts";

const MAX_BODY_BYTES = 65_536;
/** Maximum of open streams for one address, and for all addresses together. */
const MAX_STREAMS_PER_ADDRESS = 16;
const MAX_STREAMS = 400;
/** Size of a burst: the number of seconds whose requests an address may send at once. */
const BURST_SECONDS = 4;

/**
 * Returns an IPv4 address, also if it is mapped to IPv6, and the /64 network of an IPv6 address,
 * because a host has all addresses of a /64.
 */
export const networkOf = (address: string): string => {
  const parsed = Option.getSuccess(NetAddress.ipFromString(address.split("%", 1)[0]!));
  if (Option.isNone(parsed) || !NetAddress.isIpv6Address(parsed.value)) return address;
  return Option.match(NetAddress.fromIpv4Mapped(parsed.value), {
    onNone: () => IpNetwork.format(IpNetwork.fromAddressUnsafe(parsed.value, 64)),
    onSome: NetAddress.formatIp,
  });
};

/** The network of the client that sent the current request; `""` outside of a request. */
export const clientNetwork = Effect.map(
  Effect.serviceOption(HttpServerRequest.HttpServerRequest),
  (request) => {
    const address = Option.flatMap(request, ({ remoteAddress }) => remoteAddress);
    return networkOf(Option.getOrElse(address, () => ""));
  },
);

type Request = HttpServerRequest.HttpServerRequest;
type Response = HttpServerResponse.HttpServerResponse;

const problem = (status: number): Response =>
  HttpServerResponse.jsonUnsafe(
    { type: "about:blank", title: STATUS_CODES[status], status },
    { status, contentType: "application/problem+json" },
  );

const headers = (status: number): Readonly<Record<string, string>> => ({
  "x-content-type-options": "nosniff",
  "referrer-policy": "same-origin",
  // Closes the connection, because the rest of the body is not read.
  ...(status === 413 && { connection: "close" }),
  ...((status === 429 || status === 503) && { "retry-after": "1" }),
});

/** Limits the requests of each address on all routes, and adds common headers to responses. */
export const limits = (ratePerSecond: number) =>
  HttpRouter.middleware(
    Effect.gen(function* () {
      const limiter = yield* RateLimiter.RateLimiter;
      const bucket = {
        algorithm: "token-bucket",
        limit: ratePerSecond * BURST_SECONDS,
        window: `${BURST_SECONDS} seconds`,
      } as const;
      const guard = Effect.fnUntraced(
        function* <E>(handled: Effect.Effect<Response, E>) {
          const { url } = yield* HttpServerRequest.HttpServerRequest;
          const key = yield* clientNetwork;
          // Load balancers request `/health` often and from one address, so it has no limit.
          const isAllowed =
            /^\/health(?:[/?]|$)/u.test(url) ||
            (yield* Effect.isSuccess(limiter.consume({ ...bucket, key })));
          const response = isAllowed ? yield* Effect.catchCause(handled, failed) : problem(429);
          const { body, status } = response;
          const isBare = status >= 400 && (body._tag === "Empty" || status === 415);
          return HttpServerResponse.setHeaders(
            isBare ? problem(status) : response,
            headers(status),
          );
        },
        Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(MAX_BODY_BYTES)),
      );
      return <E>(handled: Effect.Effect<Response, E>): Effect.Effect<Response, E, Request> =>
        guard(handled);
    }),
    { global: true },
  ).pipe(Layer.provide(RateLimiter.layer), Layer.provide(RateLimiter.layerStoreMemory));

const failed = (cause: Cause.Cause<unknown>) =>
  Effect.map(HttpServerError.causeResponse(cause), ([response]) => response);

/** The network of the client of each open stream. */
const streams: Array<string> = [];

/** Counts an open stream until the request ends. Fails with `TooManyStreams` at a limit. */
export const countStream = Effect.gen(function* () {
  const address = yield* clientNetwork;
  const own = streams.filter((each) => each === address).length;
  if (own >= MAX_STREAMS_PER_ADDRESS || streams.length >= MAX_STREAMS) {
    const detail = `${own} streams from ${address} are open, and ${streams.length} in all. Try again later.`;
    return yield* new TooManyStreams({ detail });
  }
  streams.push(address);
  yield* Effect.addFinalizer(() => Effect.sync(() => streams.splice(streams.indexOf(address), 1)));
}).pipe(Effect.uninterruptible);
