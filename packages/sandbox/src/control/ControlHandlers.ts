/**
 * What the control plane does, endpoint by endpoint.
 */
import * as DateTime from "effect/DateTime";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Option from "effect/Option";
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder";
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware";
import { validateHeaderName, validateHeaderValue } from "node:http";
import { SandboxClock } from "../clock/SandboxClock.ts";
import { SandboxConfig } from "../Config.ts";
import type { Fault, FaultRule } from "../faults/Fault.ts";
import { Faults } from "../faults/Faults.ts";
import { Journal } from "../journal/Journal.ts";
import { RateLimits } from "../rates/RateLimits.ts";
import type { RatePolicyInvalid } from "../rates/RatePolicy.ts";
import { rateProfiles } from "../rates/RateProfiles.ts";
import { Store } from "../store/Store.ts";
import {
  type ClockChange,
  ControlApi,
  ControlErrors,
  ControlNotFound,
  ControlRejected,
  type PolicyChange,
} from "./ControlApi.ts";

const rejected = (reason: string) => Effect.fail(new ControlRejected({ reason }));

const reading = Effect.fnUntraced(function* (clock: SandboxClock["Service"]) {
  const { frozen } = yield* clock.state;
  return { now: DateTime.formatIso(DateTime.makeUnsafe(clock.nowUnsafe())), frozen };
});

const CLOCK_MEMBERS = ["set", "advance", "freeze", "unfreeze", "reset"] as const;

const change = Effect.fnUntraced(function* (clock: SandboxClock["Service"], payload: ClockChange) {
  if (CLOCK_MEMBERS.every((member) => payload[member] === undefined))
    return yield* rejected(`name one of ${CLOCK_MEMBERS.join(", ")}`);
  // Everything is read before anything is done: a request with one bad member changes nothing.
  const instant = payload.set === undefined ? undefined : yield* readInstant(payload.set);
  const duration = payload.advance === undefined ? undefined : yield* readDuration(payload.advance);
  const start = instant ?? clock.nowUnsafe();
  yield* checkWritable(start + (duration === undefined ? 0 : Duration.toMillis(duration)));
  if (payload.reset === true) yield* clock.reset;
  // Standing still comes first, so that what follows is exact to the millisecond.
  if (payload.freeze === true) yield* clock.freeze();
  if (instant !== undefined) yield* clock.set(instant);
  if (duration !== undefined) yield* clock.advance(duration);
  if (payload.unfreeze === true) yield* clock.resume;
  return yield* reading(clock);
});

const readInstant = (text: string): Effect.Effect<number, ControlRejected> =>
  Option.match(DateTime.make(text), {
    onNone: () => rejected(`${JSON.stringify(text)} is no instant in ISO 8601`),
    onSome: (instant) => Effect.succeed(DateTime.toEpochMillis(instant)),
  });

/** Years of four digits: what the dates of HTTP (RFC 9110 §5.6.7) and of the records can write. */
const [FIRST_INSTANT, LAST_INSTANT] = [
  Date.parse("0000-01-01T00:00:00.000Z"),
  Date.parse("9999-12-31T23:59:59.999Z"),
];

const checkWritable = (instant: number): Effect.Effect<void, ControlRejected> =>
  instant >= FIRST_INSTANT && instant <= LAST_INSTANT
    ? Effect.void
    : rejected("the clock stays within the years 0 to 9999");

const readDuration = (text: string): Effect.Effect<Duration.Duration, ControlRejected> => {
  const duration = Duration.fromInput(text as Duration.Input);
  return Option.isSome(duration) && Duration.isFinite(duration.value) && !text.startsWith("-")
    ? Effect.succeed(duration.value)
    : rejected(`${JSON.stringify(text)} is no duration such as "31 seconds"`);
};

const ClockLive = HttpApiBuilder.group(
  ControlApi,
  "clock",
  Effect.fnUntraced(function* (handlers) {
    const clock = yield* SandboxClock;
    return handlers
      .handle("read", () => reading(clock))
      .handle("change", ({ payload }) => change(clock, payload));
  }),
);

const checkRule = Effect.fnUntraced(function* ({ fault, when }: FaultRule) {
  if (when?.from !== undefined) yield* readInstant(when.from);
  if (when?.until !== undefined) yield* readInstant(when.until);
  if (fault.kind === "changeId" && fault.mode === "set" && fault.id === undefined)
    return yield* rejected('a changeId fault with mode "set" needs an id');
  return yield* checkHeaders(headersOf(fault));
});

/** The headers that a fault brings in. */
const headersOf = (fault: Fault): Readonly<Record<string, string>> => {
  if (fault.kind === "headers") return fault.set ?? {};
  if (fault.kind !== "status") return {};
  const { headers = {}, retryAfter } = fault;
  return typeof retryAfter === "string" ? { ...headers, "retry-after": retryAfter } : headers;
};

/** A header that Node refuses to send would turn the fault into another one. */
const checkHeaders = (headers: Readonly<Record<string, string>>) =>
  Effect.try({
    try: () => {
      for (const [name, value] of Object.entries(headers)) {
        validateHeaderName(name);
        validateHeaderValue(name, value);
      }
    },
    catch: (cause) => new ControlRejected({ reason: String(cause) }),
  });

const FaultsLive = HttpApiBuilder.group(
  ControlApi,
  "faults",
  Effect.fnUntraced(function* (handlers) {
    const faults = yield* Faults;
    return handlers
      .handle("list", () => Effect.map(faults.list, (list) => ({ faults: list })))
      .handle(
        "add",
        Effect.fnUntraced(function* ({ payload }) {
          const rules: ReadonlyArray<FaultRule> = "fault" in payload ? [payload] : payload;
          yield* Effect.forEach(rules, checkRule, { discard: true });
          return { faults: yield* Effect.forEach(rules, faults.add) };
        }),
      )
      .handle("clear", () => faults.clear)
      .handle("remove", ({ params }) =>
        Effect.flatMap(faults.remove(params.id), (was) =>
          was
            ? Effect.void
            : Effect.fail(new ControlNotFound({ reason: `no fault is called ${params.id}` })),
        ),
      );
  }),
);

const because = (error: RatePolicyInvalid) => new ControlRejected({ reason: error.message });

const PoliciesLive = HttpApiBuilder.group(
  ControlApi,
  "policies",
  Effect.fnUntraced(function* (handlers) {
    const rates = yield* RateLimits;
    const replace = ({ payload }: { readonly payload: PolicyChange }) =>
      rates
        .replace("profile" in payload ? rateProfiles[payload.profile] : payload)
        .pipe(Effect.mapError(because), Effect.andThen(rates.policies));
    return handlers
      .handle("read", () => rates.policies)
      .handle("replace", replace)
      .handle("replaceByPost", replace);
  }),
);

const JournalLive = HttpApiBuilder.group(
  ControlApi,
  "journal",
  Effect.fnUntraced(function* (handlers) {
    const journal = yield* Journal;
    return handlers
      .handle("read", ({ query }) => Effect.map(journal.read(query), (entries) => ({ entries })))
      .handle("clear", () => journal.clear);
  }),
);

/** The store's key of the instant at which the world starts. */
const WORLD_START = "world.birth";

/**
 * Rejects a snapshot from another world start: its rows refer to objects that do not exist here.
 */
const checkWorldStart = (
  meta: ReadonlyArray<Readonly<Record<string, unknown>>> | undefined,
  ours: string | undefined,
): Effect.Effect<void, ControlRejected> => {
  const theirs = meta?.find((row) => row["key"] === WORLD_START)?.["value"];
  if (theirs === ours) return Effect.void;
  return rejected(
    `the snapshot's world started at ${instantOf(theirs)}, this one at ${instantOf(ours)}`,
  );
};

const instantOf = (millis: unknown): string =>
  Option.match(DateTime.make(Number(millis)), {
    onNone: () => "an unknown time",
    onSome: DateTime.formatIso,
  });

const StateLive = HttpApiBuilder.group(
  ControlApi,
  "state",
  Effect.fnUntraced(function* (handlers) {
    const clock = yield* SandboxClock;
    const faults = yield* Faults;
    const journal = yield* Journal;
    const rates = yield* RateLimits;
    const store = yield* Store;
    const { seed } = yield* SandboxConfig;
    return handlers
      .handle(
        "reset",
        Effect.fnUntraced(function* () {
          yield* store.reset;
          yield* clock.reset;
          yield* rates.reset;
          yield* faults.clear;
          yield* journal.clear;
          return yield* reading(clock);
        }),
      )
      .handle(
        "snapshot",
        Effect.fnUntraced(function* () {
          const [clockReading, rows, limits] = yield* Effect.all([
            reading(clock),
            store.snapshot,
            rates.snapshot,
          ]);
          return { format: 1 as const, seed, clock: clockReading, store: rows, rates: limits };
        }),
      )
      .handle(
        "restore",
        Effect.fnUntraced(function* ({ payload }) {
          if (payload.seed !== seed)
            return yield* rejected(
              `the snapshot is of seed ${payload.seed}, this sandbox has seed ${seed}`,
            );
          yield* checkWorldStart(payload.store.tables["meta"], store.getMeta(WORLD_START));
          const instant = yield* readInstant(payload.clock.now);
          yield* store
            .restore(payload.store)
            .pipe(
              Effect.catchDefect((defect) => rejected(`the rows do not fit: ${String(defect)}`)),
            );
          yield* rates.restore(payload.rates).pipe(Effect.mapError(because));
          yield* clock.resume;
          yield* clock.set(instant);
          if (payload.clock.frozen) yield* clock.freeze(instant);
          return yield* reading(clock);
        }),
      );
  }),
);

const HealthLive = HttpApiBuilder.group(
  ControlApi,
  "health",
  Effect.fnUntraced(function* (handlers) {
    const { authUrl, baseUrl, controlUrl, seed } = yield* SandboxConfig;
    return handlers
      .handle("ready", () => Effect.succeed({ ready: true, seed, authUrl, baseUrl, controlUrl }))
      .handle("health", () => Effect.succeed({ status: "ok" as const }));
  }),
);

const ErrorsLive = HttpApiMiddleware.layerSchemaErrorTransform(ControlErrors, (error) =>
  Effect.fail(new ControlRejected({ reason: `${error.kind}: ${error.cause.message}` })),
);

/** The control plane's routes. */
export const ControlHandlers = HttpApiBuilder.layer(ControlApi).pipe(
  Layer.provide([ClockLive, FaultsLive, PoliciesLive, JournalLive, StateLive, HealthLive]),
  Layer.provide(ErrorsLive),
);
