/**
 * A transport that answers from fixtures, for tests of programs that use the client.
 *
 * The whole client runs over it: credentials, scopes, checks of bodies, retries and errors. Without
 * a fixture an operation answers 404.
 *
 * @example
 * ```ts
 * import { createGameApi, NotFound } from "@game-data/api-client/promise";
 * import { fixtureTransport } from "@game-data/api-client/testing";
 *
 * const api = createGameApi({
 *   baseUrl: "https://api.example",
 *   userAgent: { clientId: "price-tool", version: "1.0.0", contact: "me@example.com" },
 *   transport: fixtureTransport({
 *     "profile.get": { body: { uuid: "0", name: "Exile#0001" } },
 *     "itemFilters.list": [{ status: 500 }, { body: { filters: [] } }],
 *   }),
 * });
 * if ((await api.profile.get()).name !== "Exile#0001") throw new Error("wrong profile");
 * if ((await api.itemFilters.list()).length !== 0) throw new Error("not retried");
 * await api.itemFilters.get({ id: "x" }).catch((error) => {
 *   if (!(error instanceof NotFound)) throw error;
 * });
 * await api.close();
 * ```
 */
import type { RouteName } from "@game-data/contract/routes";
import type * as Layer from "effect/Layer";
import { GameApi } from "./GameApi.ts";
import type { GameApiOptions } from "./GameApiService.ts";
import type { ConfigurationInvalid } from "@game-data/contract/ConfigurationInvalid";
import {
  SendError,
  type IncomingResponse,
  type OutgoingRequest,
  type Transport,
} from "./Transport.ts";

/** A response. */
export interface Fixture {
  /** Default: 200. */
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A string is sent as it is, any other value as JSON. */
  readonly body?: unknown;
}

/** A request as a fixture function sees it; the access token is left out. */
export interface FixtureRequest {
  readonly method: string;
  readonly url: URL;
  /** The JSON value that was sent. */
  readonly body: unknown;
}

/**
 * The responses of an operation: one for every request, one after the other (the last one stays),
 * or a function. `"drop"` breaks the connection.
 */
export type Fixtures =
  | Fixture
  | "drop"
  | ReadonlyArray<Fixture | "drop">
  | ((request: FixtureRequest) => Fixture | "drop");

/** The fixtures of operations. `request` is for paths that are not listed. */
export type FixtureTable = { readonly [Name in RouteName | "request"]?: Fixtures };

/** A transport that answers from fixtures. */
export const fixtureTransport = (table: FixtureTable): Transport => {
  const served = new Map<string, number>();
  return (request, settle) => {
    const fixture = next(table[request.operation as RouteName], request, served);
    settle(
      fixture === "drop"
        ? new SendError({ kind: "connect", detail: "dropped by a fixture" })
        : toResponse(fixture),
    );
    return () => undefined;
  };
};

/** A client over fixtures. */
export const layer = (
  table: FixtureTable,
  options: Partial<GameApiOptions> = {},
): Layer.Layer<GameApi, ConfigurationInvalid> =>
  GameApi.layerTransport({
    baseUrl: "https://api.example",
    userAgent: { clientId: "fixtures", version: "1.0.0", contact: "fixtures@example.com" },
    credentials: "fixture-token",
    ...options,
    transport: fixtureTransport(table),
  });

const next = (
  fixtures: Fixtures | undefined,
  { body, method, operation, url }: OutgoingRequest,
  served: Map<string, number>,
): Fixture | "drop" => {
  if (fixtures === undefined) {
    return { status: 404, body: { error: { code: 1, message: "No fixture for this operation" } } };
  }
  if (typeof fixtures === "function") {
    return fixtures({ method, url: new URL(url), body: body && JSON.parse(body) });
  }
  if (!Array.isArray(fixtures)) return fixtures as Fixture | "drop";
  const index = served.get(operation) ?? 0;
  served.set(operation, index + 1);
  return fixtures[Math.min(index, fixtures.length - 1)] ?? "drop";
};

const toResponse = ({ body, headers, status = 200 }: Fixture): IncomingResponse => {
  const text = typeof body === "string" ? body : body === undefined ? "" : JSON.stringify(body);
  const chunks = text === "" ? [] : [new TextEncoder().encode(text)];
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    encoding: "identity",
    read: async () => chunks.shift(),
    abort: () => undefined,
  };
};
