/**
 * The client in tests: over fixtures in place of a server, or with single methods replaced.
 *
 * Over fixtures the whole client runs: credentials, scopes, checks of bodies, retries and errors.
 */
import type { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
import { matchPath, operations, type RouteName } from "@game-data/contract/routes";
import * as Effect from "effect/Effect";
import * as HttpClient from "effect/http/HttpClient";
import * as HttpClientError from "effect/http/HttpClientError";
import * as HttpClientResponse from "effect/http/HttpClientResponse";
import * as Layer from "effect/Layer";
import * as Stream from "effect/Stream";
import type { GameApiService } from "./Api.ts";
import { GameApi } from "./GameApi.ts";
import type { GameApiOptions } from "./Options.ts";

/** Response of the fixture client to one request. */
export interface Fixture {
  /** Default: 200. */
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A string is sent unchanged, any other value as JSON. */
  readonly body?: unknown;
}

/** Request that a fixture function receives, without its access token. */
export interface FixtureRequest {
  readonly method: string;
  readonly url: URL;
  /** The JSON value that was sent; `null` without a body. */
  readonly body: unknown;
}

/**
 * Responses of an operation: the same for every request, a list whose last response repeats, or a
 * function. `"drop"` breaks the connection.
 */
export type Fixtures =
  | Fixture
  | "drop"
  | ReadonlyArray<Fixture | "drop">
  | ((request: FixtureRequest) => Fixture | "drop");

/**
 * The fixtures of operations. `request` is for paths that the specification does not list. An
 * operation without a fixture answers 404.
 */
export type FixtureTable = { readonly [Name in RouteName | "request"]?: Fixtures };

/** Makes an HTTP client that responds from fixtures, for a `baseUrl` without a path. */
export const fixtureHttp = (table: FixtureTable): Layer.Layer<HttpClient.HttpClient> =>
  Layer.sync(HttpClient.HttpClient, () => {
    const served = new Map<string, number>();
    return HttpClient.make((request, url) => {
      const { body, method } = request;
      const operation = matchPath(method, url.pathname)?.name ?? "request";
      const index = served.get(operation) ?? 0;
      served.set(operation, index + 1);
      const json = body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : "null";
      const entry = table[operation] ?? NO_FIXTURE;
      const list = [
        typeof entry === "function" ? entry({ method, url, body: JSON.parse(json) }) : entry,
      ].flat() as ReadonlyArray<Fixture | "drop">;
      const fixture = list[Math.min(index, list.length - 1)] ?? "drop";
      if (fixture !== "drop")
        return Effect.succeed(HttpClientResponse.fromWeb(request, toResponse(fixture)));
      const cause = new Error("dropped by a fixture");
      const reason = new HttpClientError.TransportError({ request, cause });
      return Effect.fail(new HttpClientError.HttpClientError({ reason }));
    });
  });

const NO_FIXTURE: Fixture = { status: 404, body: { error: { code: 1, message: "No fixture" } } };

const toResponse = ({ body, headers, status = 200 }: Fixture): Response => {
  const text = typeof body === "string" ? body : body === undefined ? null : JSON.stringify(body);
  return new Response(status === 204 ? null : text, {
    status,
    headers: { "content-type": "application/json", ...headers },
  });
};

/** Makes a client over fixtures, with a made-up access token. */
export const layer = (
  table: FixtureTable,
  options: Partial<GameApiOptions> = {},
): Layer.Layer<GameApi, ConfigurationInvalid> =>
  GameApi.layer({
    baseUrl: "https://api.example",
    userAgent: { clientId: "fixtures", version: "1.0.0", contact: "fixtures@example.com" },
    credentials: "fixture-token",
    ...options,
  }).pipe(Layer.provide(fixtureHttp(table)));

/** Methods of the client that a test replaces. A group may be partial. */
export type Mocks = {
  readonly [Key in keyof GameApiService]?: GameApiService[Key] extends (...args: any) => any
    ? GameApiService[Key]
    : Partial<GameApiService[Key]>;
};

/** Makes a client with these methods only. Any other method dies with an error that names it. */
export const mock = (mocks: Mocks): Layer.Layer<GameApi> => {
  const service: Record<string, object> = { ...mocks };
  for (const group of Object.keys(operations))
    service[group] = partial(`${group}.`, service[group] ?? {});
  return Layer.succeed(GameApi, partial("", service) as GameApiService);
};

const partial = (prefix: string, methods: object): object =>
  new Proxy(methods, {
    get: (target, key) => {
      if (key in target) return Reflect.get(target, key);
      const name = prefix + String(key);
      const error = new Error(`${name} has no mock`);
      const isStream = /(?:Pages|Entries)$/u.test(name);
      return () => (isStream ? Stream.die(error) : Effect.die(error));
    },
  });
