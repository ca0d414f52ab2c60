/**
 * One attempt of a call: a request in its turn, in its time, and what its answer says.
 *
 * Every call goes through here, so steps that cannot fail and need no fiber of their own are taken
 * without one.
 */
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Redacted from "effect/Redacted";
import * as Scope from "effect/Scope";
import type * as HttpClient from "effect/http/HttpClient";
import * as HttpClientRequest from "effect/http/HttpClientRequest";
import type { HttpClientError } from "effect/http/HttpClientError";
import { ResponseListener } from "../CallOptions.ts";
import type { CallOptions, ResponseInfo } from "../CallOptions.ts";
import type { AccessToken } from "../Credentials.ts";
import { Timeout, Transport } from "../Errors.ts";
import type { CallInfo, GameApiError } from "../Errors.ts";
import { parseRetryAfter } from "@game-data/rate-limit";
import type { LimiterStoreError, Permit, RequestOutcome } from "@game-data/rate-limit/effect";
import * as Telemetry from "../Telemetry.ts";
import { aboutOf, routeOf } from "./Call.ts";
import type {
  CallerSettings,
  Handler,
  PreparedCall,
  Progress,
  Seen,
  StreamingHandler,
} from "./Call.ts";
import { execute, requestOf } from "./execute.ts";
import { isEdgeBlock, judge } from "./judge.ts";
import { readText, received } from "./readBody.ts";
import type { BodyBroken, Received } from "./readBody.ts";
import { connectFailure, millis, noteIn, fromNotSent } from "./verdicts.ts";

const ERROR_BODY_LIMIT = 65_536;

const durations = Telemetry.labelled(Telemetry.durations);
const requests = Telemetry.labelled(Telemetry.requests);
const violations = Telemetry.labelled(Telemetry.violations);

/** What the attempts of one call have in common. */
export interface Attempts<A, R> {
  readonly settings: CallerSettings;
  /** The client of the settings, whose connections end with the scope around them. */
  readonly scopedClient: HttpClient.HttpClient.With<HttpClientError, Scope.Scope>;
  readonly call: PreparedCall;
  readonly options: CallOptions;
  readonly handler: Handler<A, R> | StreamingHandler<A>;
  readonly progress: Progress;
}

/** One request in its turn; its connection is gone afterwards, unless its value streams. */
export const attempt = <A, R>(
  attempts: Attempts<A, R>,
  token: AccessToken | undefined,
): Effect.Effect<A, GameApiError, R> => {
  const { call, handler, options, progress, settings } = attempts;
  const { breaker, limiter } = settings;
  const about = () => aboutOf(call, progress);
  const seen: Seen = { sent: false, status: undefined };
  const within = <A1, R1>(sending: Effect.Effect<A1, GameApiError, R1>) =>
    Effect.timeoutOrElse(sending, {
      duration: millis(options.timeout, settings.timeout),
      orElse: () => Effect.fail(new Timeout({ ...about(), phase: "attempt" })),
    });
  const inTime = (permit: Permit): Effect.Effect<A, GameApiError, R> =>
    "streams" in handler
      ? (streaming(attempts, handler, permit, token, seen, within) as Effect.Effect<
          A,
          GameApiError,
          R
        >)
      : within(send(attempts, handler, settings.client, permit, token, seen));
  return limiter
    .run(
      { route: call.limitRoute, priority: options.priority, maxWait: options.maxWait },
      inTime,
      (): RequestOutcome => seen,
    )
    .pipe(
      Effect.catchTags({
        RequestNotSent: (error) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) =>
            Effect.fail(fromNotSent(about(), call, error, now)),
          ),
        LimiterStoreError: (error: LimiterStoreError) =>
          Effect.fail(new Transport({ ...about(), phase: "limiter", detail: error.detail })),
      }),
      Effect.onExit((exit) =>
        Effect.withFiber((fiber) => {
          if (!seen.sent) {
            breaker?.forget();
            return Effect.void;
          }
          const status = seen.status === undefined ? "none" : String(seen.status);
          requests({ route: routeOf(call.info), status }).updateUnsafe(1, fiber.context);
          if (breaker) {
            noteIn(breaker, exit, fiber.getRef(Clock.Clock).currentTimeMillisUnsafe());
          }
          return Effect.void;
        }),
      ),
    );
};

type Within = <A, R>(
  sending: Effect.Effect<A, GameApiError, R>,
) => Effect.Effect<A, GameApiError, R>;

/** Closing its scope ends the connection, which a body that is still on its way needs. */
const streaming = <A>(
  attempts: Attempts<A, unknown>,
  handler: StreamingHandler<A>,
  permit: Permit,
  token: AccessToken | undefined,
  seen: Seen,
  within: Within,
) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Scope.Scope, (outer) => {
      const scope = Scope.makeUnsafe();
      const sending = send(attempts, handler, attempts.scopedClient, permit, token, seen);
      return restore(within(Effect.provideService(sending, Scope.Scope, scope))).pipe(
        Effect.onExit((exit) =>
          Exit.isSuccess(exit)
            ? Scope.addFinalizer(outer, Scope.close(scope, Exit.void))
            : Scope.close(scope, exit),
        ),
      );
    }),
  );

const send = <A, R, R1>(
  { call, progress, settings }: Attempts<A, unknown>,
  handler: Handler<A, R>,
  client: HttpClient.HttpClient.With<HttpClientError, R1>,
  permit: Permit,
  token: AccessToken | undefined,
  seen: Seen,
): Effect.Effect<A, GameApiError, R | R1> =>
  Effect.withFiber((fiber) => {
    progress.attempts++;
    progress.waited += permit.waitedMillis;
    progress.policy = permit.policy ?? progress.policy;
    const clock = fiber.getRef(Clock.Clock);
    const started = clock.currentTimeMillisUnsafe();
    let request = requestOf(call.info.method, call.url, settings.userAgent, token);
    if (call.body !== undefined) {
      request = HttpClientRequest.bodyText(request, call.body, "application/json");
    }
    seen.sent = true;
    const sending = Effect.mapError(execute(client, request), (error) =>
      connectFailure(aboutOf(call, progress), error),
    );
    return Effect.flatMap(sending, (response): Effect.Effect<A, GameApiError, R> => {
      const arrived = received(response);
      const { headers } = arrived;
      const { status } = response;
      seen.status = status;
      seen.headers = headers;
      seen.isFirewallBlock = isEdgeBlock(status, headers);
      progress.policy = headers["x-rate-limit-policy"] ?? progress.policy;
      const { attempts, policy, waited } = progress;
      const requestId = headers["x-request-id"] ?? headers["cf-ray"];
      const about = { ...aboutOf(call, progress), ...(requestId !== undefined && { requestId }) };
      const info: ResponseInfo = { status, headers, attempts, waited, policy, requestId };
      fiber.getRef(ResponseListener)?.(info);
      if (!handler.accepts(status)) return refuse(call, token, arrived, about);
      const text = Effect.mapError(
        readText(arrived, settings.maxBodyBytes),
        ({ detail }: BodyBroken) => new Transport({ ...about, status, phase: "body", detail }),
      );
      return Effect.map(handler.read({ received: arrived, about, info, text }), (value) => {
        const took = clock.currentTimeMillisUnsafe() - started;
        durations({ route: about.route }).updateUnsafe(took, fiber.context);
        return value;
      });
    });
  });

/** The error that an answer stands for; its body tells more where there is one. */
const refuse = (
  call: PreparedCall,
  token: AccessToken | undefined,
  arrived: Received,
  about: CallInfo,
): Effect.Effect<never, GameApiError> =>
  Effect.withFiber((fiber) =>
    Effect.flatMap(
      Effect.orElseSucceed(readText(arrived, ERROR_BODY_LIMIT), () => ""),
      (body) => {
        const { headers, response } = arrived;
        const now = fiber.getRef(Clock.Clock).currentTimeMillisUnsafe();
        const error = judge(about, {
          status: response.status,
          headers,
          body: token ? body.replaceAll(Redacted.value(token.token), "<redacted>") : body,
          now,
          retryAfter: parseRetryAfter(headers["retry-after"], now),
          scopesNeeded: call.info.scopes,
          scopesGranted: token?.scopes,
        });
        if (error._tag === "RateLimited") {
          violations({ policy: about.policy ?? "unknown" }).updateUnsafe(1, fiber.context);
        }
        return Effect.fail(error);
      },
    ),
  );
