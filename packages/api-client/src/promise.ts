/**
 * The same client for programs without Effect: promises, async iterables, `AbortSignal`, errors
 * thrown as they are.
 *
 * Every method of the Effect client is here under the same name. Errors have a `_tag`
 * (`"NotFound"`, `"RateLimited"`, …) and are instances of the classes that this entry exports. A
 * call that was aborted through its `signal` throws the signal's reason.
 *
 * @example
 * ```ts
 * import { createGameApi } from "@game-data/api-client/promise";
 * import { fixtureTransport } from "@game-data/api-client/testing";
 *
 * const api = createGameApi({
 *   baseUrl: "https://api.example",
 *   userAgent: { clientId: "price-tool", version: "1.0.0", contact: "me@example.com" },
 *   credentials: async () => "access-token",
 *   transport: fixtureTransport({ "characters.list": { body: { characters: [] } } }),
 * });
 * if ((await api.characters.list()).length !== 0) throw new Error("characters from nowhere");
 * await api.close();
 * ```
 */
import type { Requests, RouteName } from "@game-data/contract/routes";
import { makeMemoryLimiter } from "@game-data/rate-limit/effect";
import type { Forecast, PolicyLimiterOptions, RouteSnapshot } from "@game-data/rate-limit/effect";
import type { EventLadderEntry, LadderEntry, PvPLadderTeamEntry } from "@game-data/schemas";
import * as Cause from "effect/Cause";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import type * as Fiber from "effect/Fiber";
import * as Redacted from "effect/Redacted";
import type * as Scope from "effect/Scope";
import type { CallOptions, ResponseInfo } from "./CallOptions.ts";
import type { AccessToken, Credentials, CredentialsError, TokenSource } from "./Credentials.ts";
import { InvalidRequest, TransportError } from "./Errors.ts";
import { fetchTransport } from "./fetchTransport.ts";
import type { GameApiOptions, GameApiService } from "./GameApiService.ts";
import type { AccountOptions, UnlistedRequest } from "./Model.ts";
import { ladderPager } from "./operations/ladderPage.ts";
import type { LadderName, LadderPage, PageOptions } from "./operations/ladderPage.ts";
import { defineGroups, makeApi } from "./operations/makeApi.ts";
import { consoleInstruments } from "./pipeline/Instruments.ts";
import type { RawResponse } from "./RawResponse.ts";
import { describeCause, type Transport } from "./Transport.ts";

export { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
export type { CallOptions, ResponseInfo } from "./CallOptions.ts";
export { toCurl } from "./CallOptions.ts";
export * from "./Errors.ts";
export { fetchTransport } from "./fetchTransport.ts";
export type * from "./Model.ts";
export type { LadderPage, PageOptions } from "./operations/ladderPage.ts";

/**
 * Gives an access token. Called for every request, and with the refused token after a 401. A
 * rejection is a `TransportError` that is retried, unless the error says `isRetryable: false`;
 * `undefined` is `Unauthorized`.
 */
export type TokenFunction = (refused?: string) => Promise<string | undefined> | string | undefined;

/** A source of access tokens that knows its user and the granted scopes. */
export interface PromiseTokenSource {
  /** The user, as the rate limiter tells users apart: an account's id, never a token. */
  readonly identity?: string | undefined;
  /** A token that is good now. */
  readonly current: () => Promise<PromiseToken | undefined>;
  /** A token other than the refused one. */
  readonly renew?: ((refused: string) => Promise<PromiseToken | undefined>) | undefined;
}

/** An access token, with the granted scopes where they are known. */
export type PromiseToken =
  | string
  | { readonly token: string; readonly scopes?: ReadonlyArray<string> | undefined };

/** The part of a session of `@game-data/oauth-pkce/promise` that a client uses. */
export interface PromiseSessionLike {
  readonly tokens: () => Promise<{
    readonly accessToken: Redacted.Redacted;
    readonly scopes: ReadonlyArray<string>;
  }>;
  readonly renew: (refused: string) => Promise<string>;
  /** See `PromiseTokenSource.identity`. */
  readonly identity?: string | undefined;
}

/** The credentials that a client accepts. */
export type PromiseCredentials =
  | TokenFunction
  | PromiseTokenSource
  | PromiseSessionLike
  | Credentials;

/** Options of a client. */
export interface PromiseOptions extends Omit<GameApiOptions, "credentials"> {
  /** A token, a function that gives one, a session, or a source of your own. */
  readonly credentials?: PromiseCredentials | undefined;
  /** The `fetch` to send requests with. Default: `globalThis.fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Another transport, such as `undiciTransport` of `@game-data/api-client/undici`. */
  readonly transport?: Transport | undefined;
  /** Options of the rate limiter. */
  readonly limiter?: PolicyLimiterOptions | undefined;
}

/** A response whose body is still on its way. Read it to the end, or `close` it. */
export interface PromiseRawResponse extends ResponseInfo {
  /** The compression of `bytes`: `identity`, `gzip`, … */
  readonly encoding: string;
  /** The bytes as they arrive. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** The bytes, decompressed. */
  readonly decoded: AsyncIterable<Uint8Array>;
  /** Releases the connection. */
  readonly close: () => void;
}

/** The times at which requests can be sent. */
export interface PromiseForecast extends Omit<Forecast, "duration"> {
  /** Milliseconds until the last one can be sent. */
  readonly durationMillis: number;
}

/** One method without Effect. */
type PromiseMethod<Method> = Method extends (
  ...args: infer Args
) => Effect.Effect<RawResponse, infer _E, Scope.Scope>
  ? (...args: Args) => Promise<PromiseRawResponse>
  : Method extends (...args: infer Args) => Effect.Effect<infer A, infer _E>
    ? (...args: Args) => Promise<A>
    : never;

type PromiseGroup<Group> = { readonly [Name in keyof Group]: PromiseMethod<Group[Name]> };

/** The groups of methods: `stashes`, `leagues`, … */
type GroupName = Exclude<
  keyof GameApiService,
  "request" | "as" | "withResponse" | "forecast" | "limits"
>;

/** Pages and entries of one ladder. */
export interface LadderMethods<Name extends LadderName, Entry> {
  /** The ladder page by page; `limit` is the size of a page. */
  readonly ladderPages: (
    request: Requests[Name],
    options?: PageOptions,
  ) => AsyncIterable<LadderPage<Entry>>;
  /** The ladder entry by entry. */
  readonly ladderEntries: (request: Requests[Name], options?: PageOptions) => AsyncIterable<Entry>;
}

/** The methods of leagues. */
export interface PromiseLeagues
  extends PromiseGroup<GameApiService["leagues"]>, LadderMethods<"leagues.ladder", LadderEntry> {
  /** The event ladder page by page. */
  readonly eventLadderPages: (
    request: Requests["leagues.eventLadder"],
    options?: PageOptions,
  ) => AsyncIterable<LadderPage<EventLadderEntry>>;
  /** The event ladder entry by entry. */
  readonly eventLadderEntries: (
    request: Requests["leagues.eventLadder"],
    options?: PageOptions,
  ) => AsyncIterable<EventLadderEntry>;
}

/** The client without Effect. */
export interface PromiseApi {
  /** The account behind the token. */
  readonly profile: PromiseGroup<GameApiService["profile"]>;
  /** Item filters of the account. */
  readonly itemFilters: PromiseGroup<GameApiService["itemFilters"]>;
  /** Leagues and their ladders. */
  readonly leagues: PromiseLeagues;
  /** PvP matches and their ladders. */
  readonly pvpMatches: PromiseGroup<GameApiService["pvpMatches"]> &
    LadderMethods<"pvpMatches.ladder", PvPLadderTeamEntry>;
  /** The account's leagues, private ones included. */
  readonly accountLeagues: PromiseGroup<GameApiService["accountLeagues"]>;
  /** The account's characters. */
  readonly characters: PromiseGroup<GameApiService["characters"]>;
  /** The account's stash tabs. */
  readonly stashes: PromiseGroup<GameApiService["stashes"]>;
  /** Allocated atlas passives. */
  readonly leagueAccounts: PromiseGroup<GameApiService["leagueAccounts"]>;
  /** The guild's stash tabs. */
  readonly guildStashes: PromiseGroup<GameApiService["guildStashes"]>;
  /** The stream of all public stashes. */
  readonly publicStashTabs: PromiseGroup<GameApiService["publicStashTabs"]>;
  /** The history of the currency exchange, hour by hour. */
  readonly currencyExchange: PromiseGroup<GameApiService["currencyExchange"]>;
  /**
   * Sends a request for a path that the specification does not list, under the same rate limiter,
   * credentials and errors. The body is JSON and is not checked.
   */
  readonly request: (request: UnlistedRequest, options?: CallOptions) => Promise<unknown>;
  /**
   * The same client for another user. All of them share one limiter, one connection pool and one
   * retry budget; the rate limits of accounts are kept per `identity`.
   */
  readonly as: (credentials: PromiseCredentials, options?: AccountOptions) => PromiseApi;
  /**
   * The value of calls together with their last response:
   * `api.withResponse((api) => api.profile.get())`.
   */
  readonly withResponse: <A>(
    calls: (api: PromiseApi) => Promise<A>,
  ) => Promise<{ readonly data: A; readonly response: ResponseInfo | undefined }>;
  /** Forecasts when the next `count` requests to an endpoint could be sent. */
  readonly forecast: (
    operation: RouteName,
    count: number,
    options?: { readonly realm?: string | undefined },
  ) => Promise<PromiseForecast>;
  /** The rate limits of an endpoint, as they are known now. */
  readonly limits: (
    operation: RouteName,
    options?: { readonly realm?: string | undefined },
  ) => Promise<RouteSnapshot>;
}

/** A client, with the method that ends it. */
export interface GameApi extends PromiseApi {
  /** Ends the calls in flight, also those of other users. Further calls are refused. */
  readonly close: () => Promise<void>;
}

/**
 * Makes a client. Make one per budget and keep it: it holds the rate limiter's knowledge. Throws
 * `ConfigurationInvalid`.
 */
export const createGameApi = (options: PromiseOptions): GameApi => {
  const { credentials, fetch, transport = fetchTransport(fetch), ...rest } = options;
  const runner = new Runner();
  const account = credentials === undefined ? undefined : toCredentials(credentials);
  const limiter = makeMemoryLimiter(options.limiter);
  const made = makeApi({ ...rest, transport, credentials: account }, limiter, consoleInstruments);
  const api = new Face(made, runner);
  return Object.assign(api, { close: () => runner.close() }) as unknown as GameApi;
};

/** Runs the calls of a client and ends them when it is closed. */
class Runner {
  private readonly fibers = new Set<Fiber.Fiber<unknown, unknown>>();
  private isClosed = false;

  run<A, E>(effect: Effect.Effect<A, E>, signal?: AbortSignal): Promise<A> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason as Error);
        return;
      }
      if (this.isClosed) {
        reject(closed());
        return;
      }
      const fiber = Effect.runFork(effect);
      this.fibers.add(fiber);
      fiber.addObserver((exit) => {
        this.fibers.delete(fiber);
        if (Exit.isSuccess(exit)) resolve(exit.value);
        else if (signal?.aborted) reject(signal.reason as Error);
        else if (this.isClosed && Cause.hasInterruptsOnly(exit.cause)) reject(closed());
        else reject(Cause.squash(exit.cause) as Error);
      });
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const ended = [...this.fibers].map(
      (fiber) => new Promise<void>((resolve) => fiber.addObserver(() => resolve())),
    );
    for (const fiber of this.fibers) fiber.interruptUnsafe();
    await Promise.all(ended);
  }
}

const closed = () =>
  new InvalidRequest({
    operation: "close",
    route: "",
    attempts: 0,
    detail: "the client is closed",
  });

/** The client of one user without Effect. */
class Face {
  private readonly api: GameApiService;
  private readonly runner: Runner;

  constructor(api: GameApiService, runner: Runner) {
    this.api = api;
    this.runner = runner;
  }

  static {
    defineGroups(Face.prototype, (self, name) => self.group(name));
  }

  private group(name: GroupName): object {
    const { api, runner } = this;
    const ladders: Partial<Record<GroupName, object>> = {
      leagues: {
        ...this.ladder("ladder", "leagues.ladder"),
        ...this.ladder("eventLadder", "leagues.eventLadder"),
      },
      pvpMatches: this.ladder("ladder", "pvpMatches.ladder"),
    };
    const methods = Object.entries(api[name] as Readonly<Record<string, AnyMethod>>);
    return {
      ...Object.fromEntries(
        methods.map(([key, method]) => [
          key,
          (...args: ReadonlyArray<unknown>) => {
            const signal = args.findLast(hasSignal)?.signal;
            const effect = method(...args);
            return key === "raw" ? openRaw(runner, effect, signal) : runner.run(effect, signal);
          },
        ]),
      ),
      ...ladders[name],
    };
  }

  private ladder<Name extends LadderName>(prefix: string, name: Name): object {
    const { api, runner } = this;
    const pages = (request: Requests[Name], options?: PageOptions) =>
      ladderPages(api, runner, name, request, options);
    return {
      [`${prefix}Pages`]: pages,
      [`${prefix}Entries`]: (request: Requests[Name], options?: PageOptions) =>
        ladderEntries(pages(request, options)),
    };
  }

  request(unlisted: UnlistedRequest, options?: CallOptions) {
    return this.runner.run(this.api.request(unlisted, options), options?.signal);
  }

  as(credentials: PromiseCredentials, options?: AccountOptions) {
    return new Face(this.api.as(toCredentials(credentials), options), this.runner);
  }

  withResponse<A>(calls: (api: PromiseApi) => Promise<A>) {
    const { api, runner } = this;
    return runner.run(
      api.withResponse((listening) =>
        Effect.callback<A, unknown>((resume) => {
          calls(new Face(listening, runner) as unknown as PromiseApi).then(
            (data) => resume(Effect.succeed(data)),
            (error: unknown) => resume(Effect.fail(error)),
          );
        }),
      ),
    );
  }

  forecast(...args: Parameters<GameApiService["forecast"]>): Promise<PromiseForecast> {
    const forecast = Effect.map(this.api.forecast(...args), ({ duration, ...rest }) => ({
      ...rest,
      durationMillis: Duration.toMillis(duration),
    }));
    return this.runner.run(forecast);
  }

  limits(...args: Parameters<GameApiService["limits"]>) {
    return this.runner.run(this.api.limits(...args));
  }
}

type AnyMethod = (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown>;

const hasSignal = (value: unknown): value is { readonly signal: AbortSignal | undefined } =>
  typeof value === "object" && value !== null && "signal" in value;

const openRaw = async (
  runner: Runner,
  opening: Effect.Effect<unknown, unknown>,
  signal: AbortSignal | undefined,
): Promise<PromiseRawResponse> => {
  const { abort, callInfo, read, ...rest } = await runner.run(
    opening as Effect.Effect<RawResponse, unknown>,
    signal,
  );
  const fail = (cause: unknown): Error =>
    signal?.aborted
      ? (signal.reason as Error)
      : new TransportError({
          ...callInfo,
          status: rest.status,
          kind: "body",
          detail: describeCause(cause),
          cause,
        });
  signal?.addEventListener("abort", abort, { once: true });
  const close = () => {
    signal?.removeEventListener("abort", abort);
    abort();
  };
  const bytes = iterate(read, close, fail);
  const decoded = rest.encoding === "identity" ? bytes : decompress(bytes, rest.encoding, fail);
  return { ...rest, bytes, decoded, close };
};

/** The bytes; the connection is released at their end and when the loop is left early. */
const iterate = async function* (
  read: RawResponse["read"],
  close: () => void,
  fail: (cause: unknown) => Error,
): AsyncIterable<Uint8Array> {
  try {
    for (let chunk = await read(); chunk !== undefined; chunk = await read()) yield chunk;
  } catch (cause) {
    throw fail(cause);
  } finally {
    close();
  }
};

const decompress = async function* (
  bytes: AsyncIterable<Uint8Array>,
  encoding: string,
  fail: (cause: unknown) => Error,
): AsyncIterable<Uint8Array> {
  const source = bytes[Symbol.asyncIterator]();
  const reader = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: async (controller) => {
      const { done, value } = await source.next();
      if (done) controller.close();
      else controller.enqueue(value as Uint8Array<ArrayBuffer>);
    },
    cancel: () => void source.return?.(),
  })
    .pipeThrough(new DecompressionStream(encoding as "gzip"))
    .getReader();
  try {
    for (let { value } = await reader.read(); value; { value } = await reader.read()) yield value;
  } catch (cause) {
    throw cause instanceof TransportError ? cause : fail(cause);
  } finally {
    await reader.cancel().catch(() => undefined);
  }
};

const ladderPages = async function* <Name extends LadderName, Entry>(
  api: GameApiService,
  runner: Runner,
  name: Name,
  request: Requests[Name],
  options: PageOptions = {},
): AsyncIterable<LadderPage<Entry>> {
  const { signal } = options;
  const pager = await runner.run(ladderPager<Name, Entry>(api, name, request, options), signal);
  let offset: number | undefined = pager.first;
  while (offset !== undefined) {
    const found: Awaited<ReturnType<typeof page>> = await page(offset);
    if (found === null) return;
    yield found.page;
    offset = found.next;
  }
  function page(at: number) {
    return runner.run(pager.page(at), signal);
  }
};

const ladderEntries = async function* <Entry>(
  pages: AsyncIterable<LadderPage<Entry>>,
): AsyncIterable<Entry> {
  for await (const page of pages) yield* page.entries;
};

const toCredentials = (credentials: PromiseCredentials): Credentials => {
  if (typeof credentials === "function") {
    return toSource({ current: async () => credentials(), renew: async (old) => credentials(old) });
  }
  if (typeof credentials === "string" || Redacted.isRedacted(credentials)) {
    return credentials as Credentials;
  }
  if ("tokens" in credentials && typeof credentials.tokens === "function") {
    const { identity, renew, tokens } = credentials as PromiseSessionLike;
    const current = async () => {
      const { accessToken, scopes } = await tokens();
      const known = scopes.length === 0 ? undefined : scopes;
      return { token: Redacted.value(accessToken), scopes: known };
    };
    return toSource({
      identity,
      current,
      renew: async (refused) => {
        await renew(refused);
        return current();
      },
    });
  }
  if ("current" in credentials && typeof credentials.current === "function") {
    return toSource(credentials as PromiseTokenSource);
  }
  return credentials as Credentials;
};

const toSource = ({ current, identity, renew }: PromiseTokenSource): TokenSource => ({
  identity,
  current: readToken(() => current()),
  ...(renew && { renew: (refused) => readToken(() => renew(Redacted.value(refused))) }),
});

const readToken = (
  read: () => Promise<PromiseToken | undefined>,
): Effect.Effect<AccessToken, CredentialsError> =>
  Effect.flatMap(
    Effect.tryPromise({
      try: read,
      catch: (cause) => ({
        // A source that cannot be reached may recover; an error that knows better says so.
        isRetryable: (cause as { readonly isRetryable?: unknown } | null)?.isRetryable !== false,
        detail: describeCause(cause),
        cause,
      }),
    }),
    (token) => {
      if (token === undefined || token === "") {
        return Effect.fail({ isRetryable: false, detail: "the source has no token" });
      }
      return Effect.succeed(
        typeof token === "string"
          ? { token: Redacted.make(token), scopes: undefined }
          : { token: Redacted.make(token.token), scopes: token.scopes },
      );
    },
  );
