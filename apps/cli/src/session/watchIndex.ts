/**
 * Follows the matches of a search of a stash index, which sends them as server-sent events. After a
 * cut the stream goes on behind the last event that it has.
 */
import { type Failure, failure } from "@game-data/terminal/Failure";
import type { FailureCode } from "@game-data/terminal/failureCodes";
import { Duration, Effect, Schedule, Schema, Stream } from "effect";
import { Sse } from "effect/encoding";
import {
  FetchHttpClient,
  HttpClient,
  HttpClientRequest,
  type HttpClientResponse,
} from "effect/http";

/** Members that are not listed here are kept, for programs. */
const withMore = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.StructWithRest(Schema.Struct(fields), [Schema.Record(Schema.String, Schema.Unknown)]);

/** An item of an event. */
const WatchedItem = withMore({
  name: Schema.String,
  base: Schema.String,
  seller: Schema.String,
  price: Schema.NullOr(Schema.Struct({ amount: Schema.Number, currency: Schema.String })),
});
export type WatchedItem = typeof WatchedItem.Type;

/** An event: a new match, or the fate of an earlier one. */
const WatchEvent = withMore({
  kind: Schema.String,
  no: Schema.Number,
  item: Schema.NullOr(WatchedItem),
});
export type WatchEvent = typeof WatchEvent.Type;

const decodeEvent = Schema.decodeEffect(Schema.fromJsonString(WatchEvent));

/** Parameters in addresses of pages and searches that are no filters. */
const NO_FILTERS = new Set("view sort check chart pair from to seller tab limit cursor".split(" "));

/** Returns the address of the events for an address of the index's page or API. */
export const watchUrl = Effect.fnUntraced(function* (address: string) {
  const url = URL.parse(address);
  // The address is not repeated: it may hold a password.
  if (url === null || !/^https?:$/u.test(url.protocol) || url.username + url.password !== "")
    return yield* failure("usage", "The address has to be http or https, without a password.", {
      next: "copy the address of a search from the page of a stash index, such as 'http://127.0.0.1:8770/?q=band'",
    });
  const events = new URL("/api/watch", url);
  for (const [name, value] of url.searchParams)
    if (!NO_FILTERS.has(name)) events.searchParams.append(name, value);
  return events;
});

/** The index sends something every 15 seconds. */
const SILENCE = Duration.seconds(45);
const LONGEST_PAUSE = Duration.seconds(30);

/** Failures after which a stream that has begun goes on later. */
const PASSING: ReadonlySet<FailureCode> = new Set([
  "unreachable",
  "timed-out",
  "service-failed",
  "rate-limited",
] as const);

/** Options of a watch. */
export interface WatchOptions {
  /** Called when the index answers for the first time. */
  readonly onBegin: Effect.Effect<void>;
  /** Called before each pause. */
  readonly onCut: (reason: Failure, pause: Duration.Duration) => Effect.Effect<void>;
}

/** Streams the events of a watch until it is interrupted, or the index refuses it. */
export const watchIndex = (url: URL, { onBegin, onCut }: WatchOptions) => {
  let lastId: string | undefined;
  let hasBegun = false;
  const begin = Effect.suspend(() => {
    if (hasBegun) return Effect.void;
    hasBegun = true;
    return onBegin;
  });
  const pauses = Schedule.exponential("500 millis").pipe(
    Schedule.jittered,
    Schedule.setInputType<Failure>(),
    Schedule.modifyDelay(({ duration }) =>
      Effect.succeed(Duration.min(Duration.fromInputUnsafe(duration), LONGEST_PAUSE)),
    ),
    Schedule.while(({ input }) => hasBegun && PASSING.has(input.code)),
    Schedule.tap(({ duration, input }) => onCut(input, duration)),
  );
  return Stream.suspend(() => Stream.unwrap(open(url, lastId))).pipe(
    Stream.decodeText,
    Stream.pipeThroughChannel(Sse.decode<Failure, unknown>()),
    Stream.catchTag("SseError", ({ message }) => Stream.fail(failure("answer-malformed", message))),
    // A server that asks for another pause gets that of this program.
    Stream.catchTag("Retry", () => Stream.fail(ended())),
    Stream.timeoutOrElse({
      duration: SILENCE,
      orElse: () => Stream.fail(failure("timed-out", "The index has been silent for too long.")),
    }),
    Stream.concat(Stream.suspend(() => Stream.fail(ended()))),
    Stream.mapEffect((sent) =>
      Effect.gen(function* () {
        const event = yield* readEvent(sent);
        lastId = sent.id ?? lastId;
        yield* begin;
        return event;
      }),
    ),
    Stream.retry(pauses),
    Stream.filter(({ kind }) => kind !== "alive"),
    Stream.provide(FetchHttpClient.layer),
  );
};

const ended = () => failure("unreachable", "The index ended the stream.");

const readEvent = ({ data, event }: Sse.Event): Effect.Effect<WatchEvent, Failure> =>
  event === "message"
    ? Effect.mapError(decodeEvent(data), ({ message }) =>
        failure("answer-malformed", `The index sent an event of another shape: ${message}`),
      )
    : Effect.fail(failure("service-failed", "The index reported an error of its own."));

/** Asks for the events, from those after an id on. */
const open = Effect.fnUntraced(function* (url: URL, lastId: string | undefined) {
  const client = yield* HttpClient.HttpClient;
  const unreachable = () => failure("unreachable", `No stash index answers at ${url.origin}.`);
  const request = HttpClientRequest.get(url).pipe(
    HttpClientRequest.setHeaders({
      accept: "text/event-stream",
      ...(lastId !== undefined && { "last-event-id": lastId }),
    }),
  );
  const response = yield* client.execute(request).pipe(
    Effect.mapError(unreachable),
    Effect.timeoutOrElse({
      duration: SILENCE,
      orElse: () => Effect.fail(failure("timed-out", `${url.origin} did not answer in time.`)),
    }),
  );
  yield* accepted(response, url);
  return Stream.mapError(response.stream, () =>
    failure("unreachable", "The connection to the index was cut."),
  );
});

/** Fails unless the response has events. */
const accepted = Effect.fnUntraced(function* (
  response: HttpClientResponse.HttpClientResponse,
  { origin }: URL,
) {
  const { headers, status } = response;
  if (status === 200 && /^text\/event-stream\b/u.test(headers["content-type"] ?? "")) return;
  if (status === 400) {
    const { detail, parameter } = yield* Effect.orElseSucceed(
      Effect.flatMap(response.json, decodeRefusal),
      () => ({ parameter: "request", detail: "is not valid" }),
    );
    return yield* failure("request-invalid", `The index refuses ${parameter}: ${detail}.`, {
      details: { parameter, status },
      next: "correct the parameter in the address of the search",
    });
  }
  const code = status >= 500 ? "service-failed" : status === 429 ? "rate-limited" : undefined;
  return yield* code === undefined
    ? failure("answer-malformed", `No stash index is at ${origin} (HTTP ${status}).`, {
        details: { status },
        next: "copy the address of a search from the page of a stash index",
      })
    : failure(code, `The index at ${origin} answered with HTTP ${status}.`, {
        details: { status },
        next: "try again later",
      });
});

const decodeRefusal = Schema.decodeUnknownEffect(
  Schema.Struct({ parameter: Schema.String, detail: Schema.String }),
);
