/** Makes the client of a service: the methods of all groups for one user. */
import type { RouteName } from "@game-data/contract/routes";
import { PolicyLimiter } from "@game-data/rate-limit";
import * as Effect from "effect/Effect";
import * as HttpClient from "effect/http/HttpClient";
import type { GameApiService, UnlistedRequest } from "../Api.ts";
import { type Caller, limitedRouteName, makeCall, unlistedRequest } from "../call/Call.ts";
import { limiterError } from "../call/errors.ts";
import { anyJson } from "../call/response.ts";
import { forCalls, runCall } from "../call/runCall.ts";
import { type Credentials, toTokenSource } from "../Credentials.ts";
import type { CallOptions, Settings } from "../Options.ts";
import { defineGroups, groupMethods } from "./methods.ts";

/** Makes the client of the user whose credentials are in `settings`. */
export const makeApi = Effect.fnUntraced(function* (
  settings: Settings,
): Effect.fn.Return<GameApiService, never, HttpClient.HttpClient | PolicyLimiter> {
  const { retry, source } = settings;
  const shared = {
    settings,
    http: forCalls(yield* HttpClient.HttpClient),
    limiter: yield* PolicyLimiter,
    credit: { remaining: retry.budget },
  };
  const user = new UserApi({ shared, source, identity: source?.identity });
  return user as unknown as GameApiService;
});

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
    const { method = "GET", path, route = `${method} ${path}` } = request;
    const call = makeCall(this.caller, { operation: "request", route }, options, (settings) =>
      unlistedRequest(settings, request),
    );
    return Effect.flatMap(call, (made) => runCall(made, anyJson));
  }

  forecast(operation: RouteName, count: number, where?: Where) {
    const { identity, shared } = this.caller;
    const route = limitedRouteName(operation, where?.realm);
    return Effect.mapError(shared.limiter.forecast({ route, identity }, count), (error) =>
      limiterError({ operation: "forecast", route, attempts: 0 }, error),
    );
  }

  limits(operation: RouteName, where?: Where) {
    const { identity, shared } = this.caller;
    const route = limitedRouteName(operation, where?.realm);
    return Effect.mapError(shared.limiter.limits({ route, identity }), (error) =>
      limiterError({ operation: "limits", route, attempts: 0 }, error),
    );
  }

  as(credentials: Credentials, options: { readonly identity?: string } = {}): UserApi {
    const source = toTokenSource(credentials);
    const identity = options.identity ?? source.identity ?? `user-${nextUser++}`;
    return new UserApi({ shared: this.caller.shared, source, identity });
  }
}

interface Where {
  readonly realm?: string;
}
