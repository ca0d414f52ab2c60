/**
 * URLs by way of the HttpApi: its templates, its schemas, its codecs. The table is compared with
 * them.
 */
import * as UrlParams from "effect/http/UrlParams";
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint";
import type { Deployment } from "../../src/Deployment.ts";
import {
  endpointInfo,
  type EndpointsOf,
  type GroupName,
  type OperationName,
} from "../../src/server/Endpoints.ts";
import { identityWords, realmToWire, type Words } from "../../src/Words.ts";
import { encodeStrings } from "./encodeStrings.ts";
import { pathOf, type PathParams } from "./paths.ts";

/** The query of an endpoint, as its schema has it. */
export type QueryOf<
  Group extends GroupName,
  Name extends OperationName<Group>,
> = HttpApiEndpoint.Query<Extract<EndpointsOf<Group>, { readonly identifier: Name }>>["Type"];

/** The URL of a request. Throws a `SchemaError` when a parameter is not what the endpoint takes. */
export const urlOf = <Group extends GroupName, Name extends OperationName<Group>>(
  deployment: Deployment,
  group: Group,
  name: Name,
  params: PathParams<Group, Name>,
  query?: QueryOf<Group, Name>,
): string => {
  const { endpoint } = endpointInfo(group, name);
  const { baseUrl, words = identityWords } = deployment;
  const path = pathOf(group, name, params, words);
  const search = query === undefined ? "" : encodeQuery(endpoint, query, words);
  return baseUrl + (search === "" ? path : `${path}?${search}`);
};

const encodeQuery = ({ query: schema }: HttpApiEndpoint.Top, query: unknown, words: Words) => {
  if (schema === undefined) return "";
  const { realm, ...others } = encodeStrings(schema, query);
  const translated = realm === undefined ? {} : { realm: realmToWire(realm, words) };
  return UrlParams.toString(UrlParams.fromInput({ ...translated, ...others }));
};
