/**
 * Makes a client from its options, and the same client for another user.
 */
import { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
import { identityWords, makeWords } from "@game-data/contract/routes";
import type { RouteName, Words } from "@game-data/contract/routes";
import { isSecureUrl } from "@game-data/contract/SecureUrl";
import { formatUserAgent } from "@game-data/contract/UserAgent";
import type { LimiterRequest } from "@game-data/rate-limit";
import { amount, checkOption, text } from "@game-data/rate-limit/options";
import * as Redacted from "effect/Redacted";
import type { Face } from "../Api.ts";
import type { CallOptions, ResponseInfo } from "../CallOptions.ts";
import type { GameApiOptions } from "../GameApiService.ts";
import type { AccountOptions, UnlistedRequest } from "../Model.ts";
import { rateLimitRoute } from "../pipeline/decode.ts";
import { succeed, type Tokens } from "../pipeline/Call.ts";
import { makePipeline } from "../pipeline/runCall.ts";
import { toMillis } from "../pipeline/timer.ts";
import { retrySettings } from "../Retry.ts";
import type { Transport } from "../Transport.ts";
import { checkExtra, named, uncallable } from "./checkOptions.ts";
import { groupNames, makeGroup, requestUnlisted } from "./Client.ts";
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
  const userAgent = formatUserAgent(options.userAgent);
  if (!userAgent.ok) {
    // A sentence of its own, which begins with the name.
    const reason = userAgent.reason.replace(/^\w+ |\.$/gu, "");
    throw invalid(`userAgent.${userAgent.option}`, reason);
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
  const service = { address: addressOf(baseUrl), words: wordsOf(options.words) };
  const tokens = credentials === undefined ? undefined : tokensOf(kit, credentials);
  return new UserApi({
    core: { kit, pipeline, service, inspect },
    account: { tokens, identity: undefined },
    defaults: undefined,
  });
};

const tokensOf = (kit: Kit, credentials: unknown): Tokens => {
  const tokens = kit.tokensOf(credentials);
  named("credentials.", () => checkOption("identity", tokens.identity, text));
  return tokens;
};

const invalid = (option: string, reason: string) => new ConfigurationInvalid({ option, reason });

const addressOf = (baseUrl: string): string => {
  // A token must not travel in the clear (RFC 6750 §5.3).
  if (baseUrl === undefined || !isSecureUrl(baseUrl))
    throw invalid("baseUrl", "must be an HTTPS address, or HTTP on a loopback address");
  const { href } = new URL(baseUrl);
  if (/[?#@]/u.test(href))
    throw invalid("baseUrl", "must have no query, no fragment and no password");
  return href.replace(/\/$/u, "");
};

const wordsOf = (words: GameApiOptions["words"]): Words => {
  try {
    return words ? makeWords(words) : identityWords;
  } catch (cause) {
    const { reason, word } = cause as { readonly reason: string; readonly word?: string };
    throw invalid(word === undefined ? "words" : `words.${word}`, reason);
  }
};

/** The client of one user, in either face. Its groups of methods are made when they are asked for. */
class UserApi {
  private readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }

  static {
    for (const name of groupNames) {
      const get = function (this: UserApi): object {
        const { account, defaults } = this.client;
        const value = makeGroup(this.client, name);
        // A client may have thousands of users: only what has a program to itself keeps its groups.
        if (account.identity === undefined && defaults === undefined)
          Object.defineProperty(this, name, { value });
        return value;
      };
      Object.defineProperty(UserApi.prototype, name, { get });
    }
  }

  request(unlisted: UnlistedRequest, options?: CallOptions): Out<unknown> {
    return requestUnlisted(this.client, unlisted, options);
  }

  as(credentials: unknown, options: AccountOptions = {}): UserApi {
    checkExtra(options, { identity: text });
    const tokens = tokensOf(this.client.core.kit, credentials);
    const identity = options.identity ?? tokens.identity ?? `user-${serial++}`;
    return new UserApi({ ...this.client, account: { tokens, identity } });
  }

  withResponse<A>(
    calls: (api: UserApi) => Out<A>,
  ): Out<{ readonly data: A; readonly response: ResponseInfo | undefined }> {
    const { core, defaults } = this.client;
    const { kit } = core;
    if (typeof calls !== "function")
      return kit.fail(uncallable("withResponse", "calls: must be a function"));
    return kit.flatMap(kit.succeed(undefined), () => {
      let response: ResponseInfo | undefined;
      const onResponse = (info: ResponseInfo) => {
        response = info;
      };
      const api = new UserApi({ ...this.client, defaults: { ...defaults, onResponse } });
      const asked = kit.flatMap(kit.succeed(undefined), () => calls(api));
      return kit.map(asked, (data) => ({ data, response }));
    });
  }

  forecast(operation: RouteName, count: number, where?: Where): Out<unknown> {
    return this.#inspect("forecast", operation, where, (at, kit) => {
      if (!amount.fits(count) || count > MOST_FORECAST)
        throw new Error(`count: must be an integer from 0 to ${MOST_FORECAST}`);
      return kit.forecast(at, count);
    });
  }

  limits(operation: RouteName, where?: Where): Out<unknown> {
    return this.#inspect("limits", operation, where, (at, kit) => kit.snapshot(at));
  }

  /** Asks the limiter about an operation; what the check or `ask` throws is told under `method`. */
  #inspect(
    method: string,
    operation: RouteName,
    where: Where = {},
    ask: (at: LimiterRequest, kit: Kit) => Out<unknown>,
  ): Out<unknown> {
    const { account, core } = this.client;
    const { kit } = core;
    try {
      checkExtra(where, { realm: text });
      const at = { route: rateLimitRoute(operation, where.realm), identity: account.identity };
      return ask(at, kit);
    } catch (cause) {
      return kit.fail(uncallable(method, (cause as Error).message));
    }
  }
}

interface Where {
  readonly realm?: string | undefined;
}

const MOST_FORECAST = 10_000;

let serial = 0;

/** The tokens of a text or of a redacted one; `undefined`: these credentials are something else. */
export const fixedTokens = (credentials: unknown): Tokens | undefined => {
  const token = typeof credentials === "string" ? Redacted.make(credentials) : credentials;
  if (!Redacted.isRedacted(token)) return undefined;
  if (!Redacted.value(token)) throw credentialsInvalid();
  const taken = succeed({ token: token as Redacted.Redacted, scopes: undefined });
  return {
    // One token has one identity, however often it is handed in.
    identity: `token-${fingerprint(Redacted.value(token as Redacted.Redacted))}`,
    renews: false,
    take: (_host, _refused, done) => {
      done(taken);
      return undefined;
    },
  };
};

/** The error of credentials that are none. */
export const credentialsInvalid = () =>
  invalid(
    "credentials",
    "must be a token that is not empty, or a function, a session or a source that gives one",
  );

/** 53 bits of a hash (cyrb53): enough to tell users apart, and not reversible to the token. */
const fingerprint = (token: string): string => {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < token.length; index++) {
    const code = token.charCodeAt(index);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36);
};
