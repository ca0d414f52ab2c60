/** Makes the client of a service: the methods of all groups for one user. */
import { type RouteName, routes } from "@game-data/contract/routes";
import {
  type Forecast,
  LimiterOptionInvalid,
  type LimiterStoreError,
  PolicyLimiter,
  type RouteLimits,
} from "@game-data/rate-limit";
import * as Effect from "effect/Effect";
import * as HttpClient from "effect/http/HttpClient";
import type { GameApiService, UnlistedRequest } from "../Api.ts";
import { type Caller, limiterKey, makeCall, type Services, unlistedRequest } from "../call/Call.ts";
import { limiterError } from "../call/errors.ts";
import { anyJson } from "../call/response.ts";
import { forCalls, runCall } from "../call/runCall.ts";
import { type Credentials, toTokenSource } from "../Credentials.ts";
import { type GameApiError, InvalidRequest } from "../Errors.ts";
import { type CallOptions, checkOptions, type Settings } from "../Options.ts";
import { defineGroups, groupMethods } from "./methods.ts";

/** The services of a client for Effect. */
export const makeServices: Effect.Effect<Services, never, HttpClient.HttpClient | PolicyLimiter> =
  Effect.gen(function* () {
    return { http: forCalls(yield* HttpClient.HttpClient), limiter: yield* PolicyLimiter };
  });

/** Makes the client of the user whose credentials are in `settings`. */
export const makeApi = (settings: Settings, services: Effect.Effect<Services>) => {
  const { retry, source } = settings;
  const credit = { remaining: retry.budget };
  const user = new UserApi({ settings, services, credit, source, identity: source?.identity });
  return user as unknown as GameApiService;
};

/** Numbers the users whose credentials have no identity. */
let nextUser = 1;

/** The client of one user. `defineGroups` adds the groups of methods. */
class UserApi {
  readonly caller: Caller;

  constructor(caller: Caller) {
    this.caller = caller;
  }

  static {
    defineGroups(UserApi, ({ caller }, group) => groupMethods(caller, group));
  }

  request(request: UnlistedRequest, options: CallOptions = {}) {
    // Without a request, the path is what is wrong.
    const { method = "GET", path, route = `${method} ${path}` } = Object(request);
    const call = makeCall(this.caller, { operation: "request", route }, options, (settings) =>
      unlistedRequest(settings, Object(request)),
    );
    return Effect.flatMap(call, (made) => runCall(made, anyJson));
  }

  forecast(operation: RouteName, count: number, where?: Where) {
    return readLimits(this.caller, "forecast", { operation, count, where });
  }

  limits(operation: RouteName, where?: Where) {
    return readLimits(this.caller, "limits", { operation, count: 1, where });
  }

  as(credentials: Credentials, options: { readonly identity?: string } = {}): UserApi {
    checkOptions(options);
    const source = toTokenSource(credentials);
    const identity = options.identity ?? source.identity ?? `user-${nextUser++}`;
    return new UserApi({ ...this.caller, source, identity });
  }
}

interface Where {
  readonly realm?: string;
}

const readLimits = (
  { identity, services }: Caller,
  method: "forecast" | "limits",
  { count, operation, where }: { operation: RouteName; count: number; where: Where | undefined },
): Effect.Effect<Forecast | RouteLimits, GameApiError> => {
  const facts = { operation: method, route: "", attempts: 0 };
  if (!Object.hasOwn(routes, operation)) {
    const detail = "operation must be the name of an operation, such as profile.get";
    return Effect.fail(new InvalidRequest({ ...facts, detail }));
  }
  const route = limiterKey(operation, where?.realm);
  return services.pipe(
    Effect.flatMap(({ limiter }): Effect.Effect<Forecast | RouteLimits, LimiterStoreError> =>
      limiter[method]({ route, identity }, count),
    ),
    Effect.mapError((error) => limiterError({ ...facts, route }, error)),
    Effect.catchDefect((defect) => {
      if (!(defect instanceof LimiterOptionInvalid)) return Effect.die(defect);
      const detail = `${defect.option} must be ${defect.expected}`;
      return Effect.fail(new InvalidRequest({ ...facts, route, detail, cause: defect }));
    }),
  );
};
