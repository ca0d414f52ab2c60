/**
 * Calls as effects: in the fiber's clock and randomness, with spans, metrics, logs and scopes.
 */
import type { LimiterStoreError, PolicyLimiterService } from "@game-data/rate-limit";
import * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import type * as Fiber from "effect/Fiber";
import * as Random from "effect/Random";
import type * as Redacted from "effect/Redacted";
import * as References from "effect/References";
import * as Tracer from "effect/Tracer";
import type { EffectFace } from "./Api.ts";
import { toCurl } from "./CallOptions.ts";
import type { RequestInfo } from "./CallOptions.ts";
import type {
  AccessToken,
  CredentialsError,
  SessionFailure,
  SessionLike,
  SessionTokens,
  TokenSource,
} from "./Credentials.ts";
import { type GameApiError, TransportError } from "./Errors.ts";
import * as Metrics from "./Metrics.ts";
import type { Kit } from "./operations/Kit.ts";
import { credentialsInvalid, fixedTokens } from "./operations/makeApi.ts";
import { fail, interrupted, succeed } from "./pipeline/Call.ts";
import type { Host, Outcome, PreparedRequest, Tokens } from "./pipeline/Call.ts";
import { submitTo } from "./pipeline/limiterBridge.ts";
import { startTimer } from "./pipeline/timer.ts";
import type { RawResponse } from "./Model.ts";

type Call<A> = Effect.Effect<A, GameApiError>;

/** The kit of a client over a limiter. */
export const effectKit = (limiter: PolicyLimiterService): Kit<EffectFace> => ({
  run: (start, { request }) =>
    traced(
      request,
      Effect.withFiber((fiber) =>
        Effect.callback((resume) =>
          Effect.sync<void>(start(new FiberHost(fiber), (outcome) => resume(toExit(outcome)))),
        ),
      ),
    ),
  succeed: Effect.succeed,
  fail: Effect.fail,
  map: (call, change) => Effect.map(call, change),
  flatMap: (call, then) => Effect.flatMap(call, then),
  catchIf: (call, isCaught, then) =>
    Effect.catchIf(call, isCaught, (error) => Effect.sync(() => then(error))),
  each: (items, { concurrency, options }, make) =>
    Effect.forEach(items, (item) => make(item, options), { concurrency }),
  raw: scoped,
  tokensOf,
  submit: submitTo(limiter),
  forecast: (where, count) =>
    Effect.mapError(limiter.forecast(where, count), storeFailed("forecast", where.route)),
  snapshot: (where) => Effect.mapError(limiter.limits(where), storeFailed("limits", where.route)),
});

const storeFailed = (operation: string, route: string) => (cause: LimiterStoreError) => {
  const detail = cause.message;
  return new TransportError({ operation, route, attempts: 0, kind: "limiter", detail, cause });
};

const toExit = (outcome: Outcome): Exit.Exit<unknown, GameApiError> => {
  if (outcome._tag === "Success") return Exit.succeed(outcome.value);
  if (outcome._tag === "Failure") return Exit.fail(outcome.error);
  return outcome._tag === "Defect" ? Exit.die(outcome.defect) : Exit.interrupt();
};

/** Records a call as a span. */
const traced = (request: PreparedRequest, running: Call<unknown>): Call<unknown> =>
  Effect.withFiber((fiber) => {
    // A span that nobody records costs as much as the retry step and the auth step together.
    if (
      Context.getOption(fiber.context, Tracer.ParentSpan)._tag === "None" &&
      fiber.getRef(Tracer.Tracer) === nativeTracer
    ) {
      return running;
    }
    return Effect.withSpan(running, `GameApi.${request.operation}`, {
      kind: "client",
      attributes: {
        "http.request.method": request.method,
        "http.route": request.route.slice(request.route.indexOf(" ") + 1),
      },
      captureStackTrace: false,
    });
  });

/** Releases the connection of a response with its scope. */
const scoped = (opening: Call<RawResponse>) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.tap(restore(opening), ({ abort }) => Effect.addFinalizer(() => Effect.sync(abort))),
  );

/** The tracer of programs that install none. It exports nothing. */
const nativeTracer = /*#__PURE__*/ Context.get(/*#__PURE__*/ Context.empty(), Tracer.Tracer);

const liveClock = /*#__PURE__*/ Context.get(/*#__PURE__*/ Context.empty(), Clock.Clock);

/** Minimum log levels at which debug messages are logged. */
const DEBUG: ReadonlySet<string> = /*#__PURE__*/ new Set(["Debug", "Trace", "All"]);

/** The fiber that makes a call. */
class FiberHost implements Host {
  readonly fiber: Fiber.Fiber<unknown, unknown>;

  constructor(fiber: Fiber.Fiber<unknown, unknown>) {
    this.fiber = fiber;
  }

  now(): number {
    return this.fiber.getRef(Clock.Clock).currentTimeMillisUnsafe();
  }

  random(): number {
    return this.fiber.getRef(Random.Random).nextDoubleUnsafe();
  }

  startTimer(millis: number, fire: () => void): () => void {
    return this.fiber.getRef(Clock.Clock) === liveClock
      ? startTimer(millis, fire)
      : this.sleep(millis, fire);
  }

  sleep(millis: number, wake: () => void): () => void {
    const sleeping = this.fork(Effect.andThen(Effect.sleep(millis), Effect.sync(wake)));
    return () => sleeping.interruptUnsafe();
  }

  measure(metric: Metrics.MetricName, value: number, attributes: Metrics.Attributes): void {
    Metrics.withAttributes(metric, attributes).updateUnsafe(value, this.fiber.context);
  }

  onRequest(request: () => RequestInfo): void {
    if (DEBUG.has(this.fiber.getRef(References.MinimumLogLevel)))
      this.fork(Effect.logDebug(toCurl(request())));
  }

  warn(message: string, cause: unknown): void {
    this.fork(Effect.logWarning(message, cause));
  }

  fork<A, E>(effect: Effect.Effect<A, E>): Fiber.Fiber<A, E> {
    return Effect.runForkWith(this.fiber.context)(effect);
  }
}

/** The tokens of any kind of credentials. Throws `ConfigurationInvalid`. */
const tokensOf = (credentials: unknown): Tokens => {
  const fixed = fixedTokens(credentials);
  if (fixed) return fixed;
  const given = Object(credentials) as Partial<SessionLike & TokenSource>;
  const source = Effect.isEffect(given.tokens) ? fromSession(given as SessionLike) : given;
  const { current, identity, renew } = source as TokenSource;
  if (!Effect.isEffect(current)) throw credentialsInvalid();
  return {
    identity,
    renews: renew !== undefined,
    take: (host, refused, done) =>
      take(host as FiberHost, refused && renew ? renew(refused) : current, done),
  };
};

/** Runs an effect within a call; one that has its token at hand costs no fiber. */
const take = (
  host: FiberHost,
  source: Effect.Effect<AccessToken, CredentialsError>,
  done: (token: Outcome<AccessToken, CredentialsError>) => void,
): (() => void) | undefined => {
  if (Exit.isExit(source)) {
    done(fromExit(source as Exit.Exit<AccessToken, CredentialsError>));
    return undefined;
  }
  const running = host.fork(source);
  running.addObserver((exit) => done(fromExit(exit)));
  return running.pollUnsafe() ? undefined : () => running.interruptUnsafe();
};

const fromExit = <A, E>(exit: Exit.Exit<A, E>): Outcome<A, E> => {
  if (Exit.isSuccess(exit)) return succeed(exit.value);
  const error = Exit.findErrorOption(exit);
  if (error._tag === "Some") return fail(error.value);
  return Exit.hasInterrupts(exit)
    ? interrupted
    : { _tag: "Defect", defect: Cause.squash(exit.cause) };
};

const fromSession = (session: SessionLike): TokenSource => {
  const current = Effect.mapBoth(session.tokens, {
    onSuccess: toAccessToken,
    onFailure: toCredentialsError,
  });
  return {
    identity: session.identity,
    current,
    renew: (refused: Redacted.Redacted) =>
      Effect.andThen(Effect.mapError(session.renew(refused), toCredentialsError), current),
  };
};

const toAccessToken = ({ accessToken, scopes }: SessionTokens): AccessToken => ({
  token: accessToken,
  scopes: scopes.length === 0 ? undefined : scopes,
});

const toCredentialsError = (error: SessionFailure): CredentialsError => ({
  isRetryable: error.isRetryable ?? false,
  detail: error.message,
  cause: error,
});
