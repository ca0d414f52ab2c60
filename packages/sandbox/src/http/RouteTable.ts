/**
 * Which endpoint of the contract a request is for, told from its method and path alone.
 *
 * Policies, faults and the journal speak of endpoints by the contract's names. The two or three
 * forms that an endpoint with a realm in the middle of its path has (`get`, `getOfRealm`,
 * `getNamedLikeRealm`) are one endpoint here.
 */
import { GameDataApi, routerConfig, scopesOf } from "@game-data/contract";
import * as HttpApi from "effect/http-api/HttpApi";
import * as FindMyWay from "effect/http/FindMyWay";

/** An endpoint of the contract. */
export interface MatchedRoute {
  readonly group: string;
  readonly endpoint: string;
  /** `group.endpoint` */
  readonly name: string;
  /** Path template, with patterns left out: `/stash/:realm/:league`. */
  readonly template: string;
  readonly scopes: ReadonlyArray<string>;
}

/** A request's endpoint, and the parameters of its path and query. */
export interface RouteMatch {
  readonly route: MatchedRoute;
  readonly parameters: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>;
}

const FORM = /(?:OfRealm|NamedLikeRealm)$/u;
const PATTERN = /\([^)]*\)/gu;

const makeTable = (): FindMyWay.Router<MatchedRoute> => {
  const table = FindMyWay.make<MatchedRoute>(routerConfig);
  HttpApi.reflect(GameDataApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => {
      const name = endpoint.identifier.replace(FORM, "");
      table.on(endpoint.method, endpoint.path as FindMyWay.PathInput, {
        group: group.identifier,
        endpoint: name,
        name: `${group.identifier}.${name}`,
        template: endpoint.path.replace(PATTERN, ""),
        scopes: scopesOf(endpoint),
      });
    },
  });
  return table;
};

/** All endpoints of the contract. */
export class RouteTable {
  readonly #table = makeTable();

  /** The endpoint of a request; `HEAD` asks for what `GET` would. */
  match(method: string, url: string): RouteMatch | undefined {
    const found = this.#table.find(method === "HEAD" ? "GET" : method, url);
    return found === undefined
      ? undefined
      : { route: found.handler, parameters: { ...found.searchParams, ...found.params } };
  }
}
