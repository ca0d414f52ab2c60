/**
 * Runs operations of the route table for one user of a client.
 */
import type { Requests, Route, RouteName } from "@game-data/contract/routes";
import { routes } from "@game-data/contract/routes";
import type { PolicyLimiterService } from "@game-data/rate-limit/effect";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import type * as Scope from "effect/Scope";
import type { ValueOf } from "../Api.ts";
import type { CallOptions } from "../CallOptions.ts";
import { InvalidRequest } from "../Errors.ts";
import type { GameApiError } from "../Errors.ts";
import type { InspectBody, RawOptions, UnlistedRequest } from "../Model.ts";
import type { Account, ReceivedResponse } from "../pipeline/Call.ts";
import { buildCall, decodeBody, parseBody } from "../pipeline/decode.ts";
import type { ServiceAddress } from "../pipeline/decode.ts";
import type { Instruments } from "../pipeline/Instruments.ts";
import type { Pipeline } from "../pipeline/runCall.ts";
import type { RawResponse } from "../RawResponse.ts";
import { filterOutcome } from "./itemFilters.ts";

/** The parts of a client that all its users share. */
interface ClientCore {
  readonly pipeline: Pipeline;
  readonly service: ServiceAddress;
  readonly limiter: PolicyLimiterService;
  readonly inspect: InspectBody | undefined;
  readonly instruments: Instruments;
}

/** One user of a client. */
export interface Client {
  readonly core: ClientCore;
  readonly account: Account;
  /** Options that apply where a call gives none. */
  readonly defaults: CallOptions | undefined;
}

/** The values that say more than the body. */
const outcomes: Partial<Record<RouteName, (body: unknown, status: number) => unknown>> = {
  "itemFilters.update": filterOutcome,
};

/** Runs an operation and returns the member of the body that the table names. */
export const call = <Name extends RouteName>(
  client: Client,
  name: Name,
  request: Requests[Name],
  { options, payload }: { options?: CallOptions | undefined; payload?: unknown } = {},
): Effect.Effect<ValueOf<Name>, GameApiError> => {
  const { pipeline, service } = client.core;
  const { isNullable, take }: Route = routes[name];
  const pick =
    outcomes[name] ??
    ((body: unknown) => (take === undefined ? body : (body as Record<string, unknown>)[take]));
  const read = (received: ReceivedResponse, text: string) => {
    const decoded = decodeBody(name, service.words, received, text);
    if (Exit.isFailure(decoded)) return decoded;
    runInspect(client.core, decoded.value, name, received);
    return Exit.succeed(pick(decoded.value, received.info.status));
  };
  const handler = { accepts: isNullable ? isSuccessOrAbsent : isSuccess, read };
  const prepared = buildCall(service, name, request, payload);
  return (
    Exit.isFailure(prepared)
      ? Effect.failCause(prepared.cause)
      : pipeline.run(prepared.value, handler, client.account, optionsOf(client, options))
  ) as Effect.Effect<ValueOf<Name>, GameApiError>;
};

/** An inspector that throws is logged as a warning; the response is good all the same. */
const runInspect = (
  { inspect, instruments }: ClientCore,
  body: unknown,
  name: RouteName,
  { fiber, info: { route, status } }: ReceivedResponse,
): void => {
  if (!inspect) return;
  new Promise<number>((resolve) => resolve(inspect(body, name, status))).then(
    (count) => count > 0 && instruments.measure?.("drift", count, { route }, fiber),
    (cause: unknown) => instruments.warn("GameApi: the inspector threw", cause, fiber),
  );
};

/**
 * Runs an operation and hands out its response with the body unread. Without scopes, the caller
 * releases the connection.
 */
export const open = <Name extends RouteName>(
  client: Client,
  name: Name,
  request: Requests[Name],
  options: RawOptions = {},
): Effect.Effect<RawResponse, GameApiError, Scope.Scope> => {
  const { isNullable }: Route = routes[name];
  const { instruments, pipeline, service } = client.core;
  const handler = {
    accepts: options.accepts ?? (isNullable ? isSuccessOrAbsent : isSuccess),
    streams: true,
    read: ({ callInfo, incoming, info, maxBodyBytes }: ReceivedResponse) =>
      Exit.succeed<RawResponse>({
        ...info,
        encoding: incoming.encoding,
        read: incoming.read,
        abort: incoming.abort,
        maxBodyBytes,
        callInfo,
      }),
  };
  const prepared = buildCall(service, name, request);
  if (Exit.isFailure(prepared)) return Effect.failCause(prepared.cause);
  const opening = pipeline.run(
    prepared.value,
    handler,
    client.account,
    optionsOf(client, options),
  ) as Effect.Effect<RawResponse, GameApiError>;
  return instruments.scoped?.(opening) ?? opening;
};

/** Sends a request that the route table does not know, under the same limiter and credentials. */
export const request = (
  client: Client,
  unlisted: UnlistedRequest,
  options?: CallOptions,
): Effect.Effect<unknown, GameApiError> => {
  const { body, method = "GET", path, query = {}, scopes = [] } = unlisted;
  const route = unlisted.route ?? `${method} ${path}`;
  const { pipeline, service } = client.core;
  const invalid = (detail: string) =>
    Effect.fail(new InvalidRequest({ operation: "request", route, attempts: 0, detail }));
  if (!isPath(path)) return invalid("path: must be a path below the base URL, such as /x/y");
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value));
  }
  const target = search.size === 0 ? path : `${path}?${search}`;
  return pipeline.run(
    {
      operation: "request",
      route,
      method,
      url: service.baseUrl.replace(/\/$/u, "") + target,
      scopes,
      rateLimitRoute: route,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    },
    { accepts: isSuccess, read: parseBody },
    client.account,
    optionsOf(client, options),
  );
};

/** A path without a query that stays below the base URL. */
const isPath = (path: string): boolean =>
  /^\/(?!\/)[^?#\\\s]*$/u.test(path) &&
  path.split("/").every((segment) => !/^(?:\.|%2e){1,2}$/iu.test(segment));

const optionsOf = ({ defaults }: Client, options: CallOptions | undefined): CallOptions =>
  defaults === undefined ? (options ?? NO_OPTIONS) : { ...defaults, ...options };

const NO_OPTIONS: CallOptions = {};

const isSuccess = (status: number): boolean => status >= 200 && status < 300;
const isSuccessOrAbsent = (status: number): boolean => isSuccess(status) || status === 404;
