/**
 * Where a service stands and how it speaks: the addresses of §1, and its words.
 *
 * `urlOf` is all that a thin client needs to know about URLs.
 */
import * as UrlParams from "effect/http/UrlParams";
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint";
import { endpointInfo, type EndpointsOf, type FamilyName, type GroupName } from "./Endpoints.ts";
import { encodeStrings } from "./internal/encodeStrings.ts";
import { pathOf, type PathParams } from "./Paths.ts";
import { urlToWire } from "./Translation.ts";
import { identityWords, type Words } from "./Words.ts";

/** Where a service stands and how it speaks. */
export interface Deployment {
  /** {auth_url}: address of the OAuth server. */
  readonly authUrl: string;
  /** {base_url}: address of the data API. */
  readonly baseUrl: string;
  /** Its words, if they are not the specification's. */
  readonly words?: Words;
}

/** The query of an endpoint, as its schema has it. */
export type QueryOf<
  Group extends GroupName,
  Name extends FamilyName<Group>,
> = HttpApiEndpoint.Query<Extract<EndpointsOf<Group>, { readonly identifier: Name }>>["Type"];

/**
 * The URL of a request. Throws a `SchemaError` when a parameter is not what the endpoint takes.
 *
 * @example
 * ```ts
 * import { urlOf } from "@game-data/contract";
 *
 * const deployment = { authUrl: "https://auth.example", baseUrl: "https://api.example" };
 * const url = urlOf(deployment, "leagues", "ladder", { league: "Hard & Core" }, { limit: 100 });
 * console.log(url); // https://api.example/league/Hard%20%26%20Core/ladder?limit=100
 * ```
 */
export const urlOf = <Group extends GroupName, Name extends FamilyName<Group>>(
  deployment: Deployment,
  group: Group,
  name: Name,
  params: PathParams<Group, Name>,
  query?: QueryOf<Group, Name>,
): string => {
  const { base, endpoint } = endpointInfo(group, name);
  const words = deployment.words ?? identityWords;
  const address = base === "auth" ? deployment.authUrl : deployment.baseUrl;
  const path = pathOf(group, name, params);
  const search = query === undefined ? "" : encodeQuery(endpoint, query);
  return trimSlash(address) + urlToWire(search === "" ? path : `${path}?${search}`, words);
};

const encodeQuery = ({ query: schema }: HttpApiEndpoint.Top, query: unknown): string =>
  schema === undefined ? "" : UrlParams.toString(UrlParams.fromInput(encodeStrings(schema, query)));

const trimSlash = (address: string) => (address.endsWith("/") ? address.slice(0, -1) : address);
