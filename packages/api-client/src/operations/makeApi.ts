/**
 * Makes a client from its options, and the same client for another user.
 */
import { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
import {
  type GroupName,
  identityWords,
  makeWords,
  type RouteName,
  type Words,
} from "@game-data/contract/routes";
import { isSecureUrl } from "@game-data/contract/SecureUrl";
import { formatUserAgent } from "@game-data/contract/UserAgent";
import type { LimiterStoreError, PolicyLimiterService } from "@game-data/rate-limit/effect";
import * as Effect from "effect/Effect";
import type { EffectFace, Groups } from "../Api.ts";
import type { CallOptions, ResponseInfo } from "../CallOptions.ts";
import { fromCredentials } from "../Credentials.ts";
import type { Credentials } from "../Credentials.ts";
import { TransportError } from "../Errors.ts";
import type { GameApiOptions, GameApiService } from "../GameApiService.ts";
import type { AccountOptions, UnlistedRequest } from "../Model.ts";
import type { Account } from "../pipeline/Call.ts";
import { rateLimitRoute } from "../pipeline/decode.ts";
import type { Instruments } from "../pipeline/Instruments.ts";
import { makePipeline } from "../pipeline/runCall.ts";
import { toMillis } from "../pipeline/time.ts";
import { retrySettings } from "../Retry.ts";
import type { Transport } from "../Transport.ts";
import { checkClientOptions } from "./checkOptions.ts";
import { request } from "./Client.ts";
import type { Client } from "./Client.ts";
import { groupNames, makeGroup } from "./groups.ts";

/** Makes a client over a transport and a limiter. Throws `ConfigurationInvalid`. */
export const makeApi = (
  options: GameApiOptions & { readonly transport: Transport },
  limiter: PolicyLimiterService,
  instruments: Instruments,
): GameApiService => {
  checkClientOptions(options);
  const { baseUrl, credentials, inspect, transport } = options;
  // A token must not travel in the clear (RFC 6750 §5.3).
  if (!isSecureUrl(baseUrl)) {
    throw new ConfigurationInvalid({
      option: "baseUrl",
      reason: "must be an HTTPS address, or HTTP on a loopback address",
    });
  }
  const userAgent = formatUserAgent(options.userAgent);
  if (!userAgent.ok) {
    const { option, reason } = userAgent;
    throw new ConfigurationInvalid({ option: `userAgent.${option}`, reason });
  }
  const pipeline = makePipeline({
    transport,
    limiter,
    userAgent: userAgent.value,
    timeout: toMillis(options.timeout, 30_000),
    totalTimeout: toMillis(options.totalTimeout, Number.POSITIVE_INFINITY),
    maxWait: toMillis(options.maxWait, 600_000),
    retry: retrySettings(options.retry),
    maxBodyBytes: options.maxBodyBytes ?? 64 * 1024 * 1024,
    dedupe: options.dedupe ?? true,
    cache: options.cache,
    hooks: options,
    instruments,
  });
  const service = { baseUrl, words: wordsOf(options.words) };
  return new RootApi({
    core: { pipeline, service, limiter, inspect, instruments },
    account: {
      credentials: credentials === undefined ? undefined : fromCredentials(credentials),
      identity: undefined,
    },
    defaults: undefined,
  }) as RootApi & Groups<EffectFace>;
};

const wordsOf = (words: GameApiOptions["words"]): Words => {
  try {
    return words ? makeWords(words) : identityWords;
  } catch (cause) {
    throw new ConfigurationInvalid({
      option: "words",
      reason: cause instanceof Error ? cause.message : "are not valid",
    });
  }
};

/**
 * Defines getters that make a group of methods. Nothing is kept, for a client may have thousands of
 * users; `keepGroups` keeps the groups of the clients that have a program to themselves.
 */
export const defineGroups = <A extends object>(
  prototype: A,
  make: (self: A, name: GroupName) => object,
): void => {
  for (const name of groupNames) {
    Object.defineProperty(prototype, name, {
      get(this: A) {
        return make(this, name);
      },
    });
  }
};

/** Defines getters that call the inherited ones once. */
export const keepGroups = (prototype: object): void => {
  const inherited = Object.getPrototypeOf(prototype) as object;
  for (const name of groupNames) {
    Object.defineProperty(prototype, name, {
      get(this: object) {
        const value: unknown = Reflect.get(inherited, name, this);
        Object.defineProperty(this, name, { value });
        return value;
      },
    });
  }
};

/** The client of one user. Its groups of methods are defined above. */
class UserApi implements Omit<GameApiService, GroupName> {
  private readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }

  static {
    defineGroups(UserApi.prototype, ({ client }, name) => makeGroup(client, name));
  }

  request(unlisted: UnlistedRequest, options?: CallOptions) {
    return request(this.client, unlisted, options);
  }

  as(credentials: Credentials, options?: AccountOptions): GameApiService {
    return apiOf({ ...this.client, account: makeAccount(credentials, options) });
  }

  withResponse<A, E, R>(
    calls: (api: GameApiService) => Effect.Effect<A, E, R>,
  ): Effect.Effect<{ readonly data: A; readonly response: ResponseInfo | undefined }, E, R> {
    return Effect.suspend(() => {
      let response: ResponseInfo | undefined;
      const onResponse = (info: ResponseInfo) => {
        response = info;
      };
      const api = apiOf({ ...this.client, defaults: { ...this.client.defaults, onResponse } });
      return Effect.map(calls(api), (data) => ({ data, response }));
    });
  }

  forecast(operation: RouteName, count: number, where?: { readonly realm?: string | undefined }) {
    const { account, core } = this.client;
    const route = rateLimitRoute(operation, where?.realm);
    return Effect.mapError(
      core.limiter.forecast({ route, identity: account.identity }, count),
      limiterError("forecast", route),
    );
  }

  limits(operation: RouteName, where?: { readonly realm?: string | undefined }) {
    const { account, core } = this.client;
    const route = rateLimitRoute(operation, where?.realm);
    return Effect.mapError(
      core.limiter.snapshot({ route, identity: account.identity }),
      limiterError("limits", route),
    );
  }
}

class RootApi extends UserApi {
  static {
    keepGroups(RootApi.prototype);
  }
}

const apiOf = (client: Client) => new UserApi(client) as UserApi & Groups<EffectFace>;

let serial = 0;

const makeAccount = (credentials: Credentials, options: AccountOptions = {}): Account => {
  const source = fromCredentials(credentials);
  return {
    credentials: source,
    identity: options.identity ?? source.identity ?? `user-${serial++}`,
  };
};

const limiterError = (operation: string, route: string) => (cause: LimiterStoreError) =>
  new TransportError({
    operation,
    route,
    attempts: 0,
    kind: "limiter",
    detail: cause.detail,
    cause,
  });
