/**
 * Makes a client from its options, and the same client for another user.
 */
import { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
import { type GroupName, identityWords, makeWords } from "@game-data/contract/routes";
import type { RouteName, Words } from "@game-data/contract/routes";
import { isSecureUrl } from "@game-data/contract/SecureUrl";
import { formatUserAgent } from "@game-data/contract/UserAgent";
import type { Face } from "../Api.ts";
import type { CallOptions, ResponseInfo } from "../CallOptions.ts";
import type { GameApiOptions } from "../GameApiService.ts";
import type { AccountOptions, UnlistedRequest } from "../Model.ts";
import { rateLimitRoute } from "../pipeline/decode.ts";
import { makePipeline } from "../pipeline/runCall.ts";
import { toMillis } from "../pipeline/timer.ts";
import { retrySettings } from "../Retry.ts";
import type { Transport } from "../Transport.ts";
import { groupNames, makeGroup, request } from "./Client.ts";
import type { Client } from "./Client.ts";
import type { Kit, Out } from "./Kit.ts";

/** Options of either face; how they look at credentials is up to the kit. */
type Options = Omit<GameApiOptions, "credentials"> & {
  readonly transport: Transport;
  readonly credentials?: unknown;
};

/** Makes a client of checked options over a transport. Throws `ConfigurationInvalid`. */
export const makeApi = <F extends Face>(options: Options, of: Kit<F>): object => {
  const kit = of as unknown as Kit;
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
    submit: kit.submit,
    userAgent: userAgent.value,
    timeout: toMillis(options.timeout, 30_000),
    totalTimeout: toMillis(options.totalTimeout, Number.POSITIVE_INFINITY),
    maxWait: toMillis(options.maxWait, 600_000),
    retry: retrySettings(options.retry),
    maxBodyBytes: options.maxBodyBytes ?? 64 * 1024 * 1024,
    dedupe: options.dedupe ?? true,
    cache: options.cache,
    hooks: options,
  });
  const service = { baseUrl, words: wordsOf(options.words) };
  const tokens = credentials === undefined ? undefined : kit.tokensOf(credentials);
  return new RootApi({
    core: { kit, pipeline, service, inspect },
    account: { tokens, identity: undefined },
    defaults: undefined,
  });
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

/** The client of one user, in either face. Its groups of methods are defined above. */
class UserApi {
  private readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }

  static {
    defineGroups(UserApi.prototype, ({ client }, name) => makeGroup(client, name));
  }

  request(unlisted: UnlistedRequest, options?: CallOptions): Out<unknown> {
    return request(this.client, unlisted, options);
  }

  as(credentials: unknown, options: AccountOptions = {}): UserApi {
    const tokens = this.client.core.kit.tokensOf(credentials);
    const identity = options.identity ?? tokens.identity ?? `user-${serial++}`;
    return new UserApi({ ...this.client, account: { tokens, identity } });
  }

  withResponse<A>(
    calls: (api: UserApi) => Out<A>,
  ): Out<{ readonly data: A; readonly response: ResponseInfo | undefined }> {
    const { core, defaults } = this.client;
    return core.kit.flatMap(core.kit.succeed(undefined), () => {
      let response: ResponseInfo | undefined;
      const onResponse = (info: ResponseInfo) => {
        response = info;
      };
      const api = new UserApi({ ...this.client, defaults: { ...defaults, onResponse } });
      return core.kit.map(calls(api), (data) => ({ data, response }));
    });
  }

  forecast(operation: RouteName, count: number, where?: Where): Out<unknown> {
    return this.client.core.kit.forecast(this.#routeOf(operation, where), count);
  }

  limits(operation: RouteName, where?: Where): Out<unknown> {
    return this.client.core.kit.snapshot(this.#routeOf(operation, where));
  }

  #routeOf(operation: RouteName, where?: Where) {
    const route = rateLimitRoute(operation, where?.realm);
    return { route, identity: this.client.account.identity };
  }
}

interface Where {
  readonly realm?: string | undefined;
}

let serial = 0;

class RootApi extends UserApi {
  static {
    keepGroups(RootApi.prototype);
  }
}
