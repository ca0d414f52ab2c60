/**
 * The client put together: endpoints of the contract over the caller, and the helpers above them.
 */
import {
  endpointInfo,
  FilterAccepted,
  FilterUpdated,
  identityWords,
  Limits,
  makeWords,
} from "@game-data/contract";
import type {
  EventLadder,
  FamilyName,
  FilterCreate,
  GroupName,
  Ladder,
  MatchLadder,
} from "@game-data/contract";
import { Drift } from "@game-data/schemas";
import type {
  Character,
  CurrencyExchangePage,
  ItemFilter,
  League,
  LeagueAccount,
  Profile,
  PublicStashPage,
  PvPMatch,
  StashTab,
} from "@game-data/schemas";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Metric from "effect/Metric";
import * as Random from "effect/Random";
import type * as Schema from "effect/Schema";
import type * as Scope from "effect/Scope";
import * as HttpClient from "effect/http/HttpClient";
import type { CallOptions } from "../CallOptions.ts";
import { toSource } from "../Credentials.ts";
import { Transport } from "../Errors.ts";
import type { GameApiError } from "../Errors.ts";
import type {
  FilterCallOptions,
  FilterOutcome,
  GameApiOptions,
  GameApiService,
} from "../GameApi.ts";
import { PolicyLimiter } from "@game-data/rate-limit/effect";
import { toRawResponse } from "../RawResponse.ts";
import type { RawResponse } from "../RawResponse.ts";
import { retrySettings } from "../Retry.ts";
import * as Telemetry from "../Telemetry.ts";
import { formatUserAgent } from "../UserAgent.ts";
import { makeCaller } from "./Caller.ts";
import type { Answer } from "./Call.ts";
import { CircuitBreaker } from "./CircuitBreaker.ts";
import { ladderEntries, pushFilter, wholeStash } from "./helpers.ts";
import { checkAddress, decodeBody, limitRouteOf, prepare } from "./Operations.ts";
import type { RequestOf } from "./Operations.ts";

const drift = Telemetry.labelled(Telemetry.drift);

type RawOptions = CallOptions & { readonly accepts?: ((status: number) => boolean) | undefined };

/** A client over the `HttpClient` and the `PolicyLimiter` of the context. */
export const makeGameApi = Effect.fnUntraced(function* (options: GameApiOptions) {
  const client = yield* HttpClient.HttpClient;
  const limiter = yield* PolicyLimiter;
  const target = {
    baseUrl: checkAddress(options.baseUrl),
    words: options.words ? makeWords(options.words) : identityWords,
  };
  const { circuitBreaker } = options;
  const call = makeCaller({
    client,
    limiter,
    credentials: options.credentials === undefined ? undefined : toSource(options.credentials),
    userAgent: formatUserAgent(options.userAgent),
    timeout: Duration.toMillis(options.timeout ?? "30 seconds"),
    totalTimeout:
      options.totalTimeout === undefined
        ? Number.POSITIVE_INFINITY
        : Duration.toMillis(options.totalTimeout),
    retry: retrySettings(options.retry),
    maxBodyBytes: options.maxBodyBytes ?? 64 * 1024 * 1024,
    probe: options.probe ?? false,
    breaker:
      circuitBreaker &&
      new CircuitBreaker(circuitBreaker.failures, Duration.toMillis(circuitBreaker.cooldown)),
  });

  const { onDrift, driftSample = 1 } = options;

  /** Looks at what was decoded for departures from the specification, if somebody wants to know. */
  const watched = <Body>(
    schema: Schema.Constraint,
    decode: (answer: Answer) => Effect.Effect<Body, GameApiError>,
  ): ((answer: Answer) => Effect.Effect<Body, GameApiError>) => {
    if (onDrift === undefined) return decode;
    return (answer) =>
      Effect.tap(decode(answer), (body) =>
        Effect.gen(function* () {
          if (driftSample < 1 && (yield* Random.next) >= driftSample) return;
          const departures = Drift.report(schema, body);
          if (departures.length === 0) return;
          yield* Metric.update(drift({ route: answer.about.route }), departures.length);
          onDrift({ operation: answer.about.operation, departures });
        }),
      );
  };

  /** A call whose result is the body, or a member of it. */
  const json = <Group extends GroupName, Name extends FamilyName<Group>, Body, A>(
    group: Group,
    name: Name,
    pick: (body: Body) => A,
    isAnswer: (status: number) => boolean = isSuccess,
  ) => {
    const info = endpointInfo(group, name as never);
    const schema = [...info.endpoint.success][0] as Schema.Codec<Body>;
    const decode = watched(schema, decodeBody(schema, info, target.words));
    return (
      request: RequestOf<Group, Name>,
      callOptions: CallOptions = {},
      payload?: unknown,
    ): Effect.Effect<A, GameApiError> =>
      Effect.flatMap(prepare(target, group, name, request, payload), (prepared) =>
        Effect.map(call(prepared, callOptions, { accepts: isAnswer, read: decode }), pick),
      );
  };

  const raw =
    <Group extends GroupName, Name extends FamilyName<Group>>(
      group: Group,
      name: Name,
      isAnswer: (status: number) => boolean = isSuccess,
    ) =>
    (
      request?: RequestOf<Group, Name>,
      callOptions: RawOptions = {},
    ): Effect.Effect<RawResponse, GameApiError, Scope.Scope> =>
      Effect.flatMap(
        prepare(target, group, name, request ?? ({} as RequestOf<Group, Name>)),
        (prepared) =>
          call(prepared, callOptions, {
            accepts: callOptions.accepts ?? isAnswer,
            streams: true,
            read: ({ received, info, about }: Answer) =>
              Effect.succeed(toRawResponse(received, info, about)),
          }),
      );

  const stashCalls = (group: "stashes" | "guildStashes") => {
    const list = json(group, "list", stashesOf);
    const get = json(group, "get", stashOf, isAnswerOrNull);
    return { list, get, all: wholeStash(list, get as never) };
  };

  const updateInfo = endpointInfo("itemFilters", "update");
  const decodeUpdated = decodeBody(FilterUpdated, updateInfo, target.words);
  const decodeAccepted = decodeBody(FilterAccepted, updateInfo, target.words);
  const update: GameApiService["itemFilters"]["update"] = (id, changes, callOptions = {}) =>
    Effect.flatMap(
      prepare(target, "itemFilters", "update", { id, ...validateOf(callOptions) }, changes),
      (prepared) =>
        call(prepared, callOptions, {
          accepts: isSuccess,
          read: (answer): Effect.Effect<FilterOutcome, GameApiError> =>
            answer.info.status === 202
              ? Effect.map(decodeAccepted(answer), ({ filter, error }) => ({
                  status: "accepted",
                  filter,
                  error,
                }))
              : Effect.map(decodeUpdated(answer), ({ filter }) => ({
                  status: "updated",
                  filter,
                })),
        }),
    );

  const create = json("itemFilters", "create", (body: { filter: ItemFilter }) => body.filter);
  const profile = json("profile", "get", (body: Profile) => body);
  const filters = json(
    "itemFilters",
    "list",
    (body: { filters: ReadonlyArray<ItemFilter> }) => body.filters,
  );

  const ladder = json("leagues", "ladder", (body: Ladder) => body.league);
  const eventLadder = json("leagues", "eventLadder", (body: EventLadder) => body.league);
  const matchLadder = json("pvpMatches", "ladder", (body: MatchLadder) => body.match);
  const stashes = stashCalls("stashes");
  const guildStashes = stashCalls("guildStashes");
  const filterCalls = {
    list: (callOptions?: CallOptions) => filters({}, callOptions),
    create: (filter: FilterCreate, callOptions: FilterCallOptions = {}) =>
      create(validateOf(callOptions), callOptions, filter),
    update,
  };

  return {
    profile: { get: (callOptions) => profile({}, callOptions) },
    itemFilters: {
      ...filterCalls,
      get: json("itemFilters", "get", (body: { filter: ItemFilter }) => body.filter),
      push: pushFilter(filterCalls),
    },
    leagues: {
      list: optional(json("leagues", "list", leaguesOf)),
      get: json("leagues", "get", (body: { league: League | null }) => body.league, isAnswerOrNull),
      ladder,
      eventLadder,
      ladderEntries: ladderEntries(ladder, Limits.ladder.max),
      eventLadderEntries: ladderEntries(eventLadder, Limits.eventLadder.max),
    },
    pvpMatches: {
      list: optional(
        json("pvpMatches", "list", (body: { matches: ReadonlyArray<PvPMatch> }) => body.matches),
      ),
      get: json(
        "pvpMatches",
        "get",
        (body: { match: PvPMatch | null }) => body.match,
        isAnswerOrNull,
      ),
      ladder: matchLadder,
      ladderEntries: ladderEntries(matchLadder, Limits.pvpLadder.max),
    },
    accountLeagues: { list: optional(json("accountLeagues", "list", leaguesOf)) },
    characters: {
      list: optional(
        json(
          "characters",
          "list",
          (body: { characters: ReadonlyArray<Character> }) => body.characters,
        ),
      ),
      get: json(
        "characters",
        "get",
        (body: { character: Character | null }) => body.character,
        isAnswerOrNull,
      ),
    },
    stashes,
    leagueAccounts: {
      get: json(
        "leagueAccounts",
        "get",
        (body: { league_account: LeagueAccount }) => body.league_account,
      ),
    },
    guildStashes,
    publicStashTabs: {
      page: optional(json("publicStashTabs", "page", (body: PublicStashPage) => body)),
      raw: raw("publicStashTabs", "page"),
    },
    currencyExchange: {
      page: optional(
        json("currencyExchange", "page", (body: CurrencyExchangePage) => body, isAnswerOrNull),
      ),
      raw: raw("currencyExchange", "page", isAnswerOrNull),
    },
    forecast: (group, name, count, where) => {
      const { method, path } = endpointInfo(group, name as never);
      const route = `${method} ${path}`;
      return Effect.mapError(
        limiter.forecast({ route: limitRouteOf(route, where?.realm) }, count),
        ({ detail }) =>
          new Transport({ operation: "forecast", route, attempts: 0, phase: "limiter", detail }),
      );
    },
  } satisfies GameApiService as GameApiService;
});

const isSuccess = (status: number) => status >= 200 && status < 300;
const isAnswerOrNull = (status: number) => isSuccess(status) || status === 404;
const leaguesOf = (body: { leagues: ReadonlyArray<League> }) => body.leagues;
const stashesOf = (body: { stashes: ReadonlyArray<StashTab> }) => body.stashes;
const stashOf = (body: { stash: StashTab | null }) => body.stash;

const validateOf = ({ validate }: FilterCallOptions) =>
  validate === undefined ? {} : { validate };

const optional =
  <Request, A>(call: (request: Request, options?: CallOptions) => Effect.Effect<A, GameApiError>) =>
  (request?: Request, options?: CallOptions) =>
    call(request ?? ({} as Request), options);
