/**
 * The endpoints as a list: what there is to route, to document, to grant and to test.
 *
 * Everything here is read from `GameDataApi`; nothing is written down twice. An endpoint with an
 * optional realm in its path appears in more than one variant (`get`, `getOfRealm`, …);
 * `realmVariant.of`
 * tells which endpoint of the specification a variant belongs to.
 */
import * as Context from "effect/Context";
import type * as Schema from "effect/Schema";
import * as HttpApi from "effect/http-api/HttpApi";
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint";
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup";
import { GameDataApi, OAuthApi } from "./GameDataApi.ts";
import { RealmVariantOf } from "./realmVariants.ts";
import { parseTemplate, type Segment } from "./pathTemplate.ts";
import type { Scope } from "../Scope.ts";
import { scopesOf } from "./Security.ts";

type Schemas = readonly [Schema.Top, ...Array<Schema.Top>];

/** One endpoint, or one variant of it. */
export interface EndpointInfo {
  /** Name of its group, such as `stashes`. */
  readonly group: GroupName;
  /** Its name within the group, such as `getOfRealm`. */
  readonly name: string;
  /**
   * Which endpoint it is a variant of, and what its realm segment says; `none` if its path has no
   * such
   * segment.
   */
  readonly realmVariant: {
    readonly of: string;
    readonly realm: "none" | "omitted" | "given" | "pc";
  };
  /** HTTP method in upper case. */
  readonly method: string;
  /** Path as the router takes it, such as `/stash/:realm(console_a|console_b)/:league`. */
  readonly path: string;
  /** The same path, segment by segment. */
  readonly segments: ReadonlyArray<Segment>;
  /** Under which address it stands: `auth` is {auth_url}, `data` is {base_url}. */
  readonly base: "auth" | "data";
  /** The scopes that a token must have: all of them. */
  readonly scopes: ReadonlyArray<Scope>;
  /** The schemas of its answers by status, in the order in which a server tries them. */
  readonly successes: ReadonlyMap<number, Schemas>;
  /** The schemas of its errors by status; those of the middlewares are not repeated here. */
  readonly errors: ReadonlyMap<number, Schemas>;
  /** The endpoint itself, with its schemas. */
  readonly endpoint: HttpApiEndpoint.Top;
}

export type { Segment } from "./pathTemplate.ts";

/** The groups of an API. */
type GroupsOf<Api> = Api extends HttpApi.HttpApi<string, infer Groups> ? Groups : never;
type AnyGroup = GroupsOf<typeof GameDataApi>;

/** Names of the groups. */
export type GroupName = HttpApiGroup.Identifier<AnyGroup>;

/** The endpoints of a group, as a union. */
export type EndpointsOf<Group extends GroupName> = HttpApiGroup.Endpoints<
  HttpApiGroup.WithIdentifier<AnyGroup, Group>
>;

/** Names of the endpoints of a group, every variant by itself. */
export type EndpointName<Group extends GroupName> = HttpApiEndpoint.Identifier<EndpointsOf<Group>>;

/** Names of the endpoints of a group, whatever their variants. */
export type OperationName<Group extends GroupName> = Exclude<
  EndpointName<Group>,
  `${string}OfRealm` | `${string}ExplicitPc`
>;

const describe = (): ReadonlyArray<EndpointInfo> => {
  const infos: Array<EndpointInfo> = [];
  HttpApi.reflect(GameDataApi, {
    onGroup: () => {},
    onEndpoint: ({ group, endpoint, successes, errors }) => {
      const name = endpoint.identifier;
      infos.push({
        group: group.identifier as GroupName,
        name,
        realmVariant: Context.get(endpoint.annotations, RealmVariantOf) ?? {
          of: name,
          realm: "none",
        },
        method: endpoint.method,
        path: endpoint.path,
        segments: parseTemplate(endpoint.path),
        base: group.identifier in OAuthApi.groups ? "auth" : "data",
        scopes: scopesOf(endpoint),
        successes,
        errors,
        endpoint,
      });
    },
  });
  return infos;
};

/** Every endpoint in every variant, in the order of the specification. */
export const endpoints: ReadonlyArray<EndpointInfo> = /*#__PURE__*/ describe();

const byName: ReadonlyMap<string, EndpointInfo> = /*#__PURE__*/ new Map(
  endpoints.map((info) => [`${info.group}.${info.name}`, info]),
);

const byOperation: Readonly<Partial<Record<string, ReadonlyArray<EndpointInfo>>>> =
  /*#__PURE__*/ Object.groupBy(endpoints, (info) => `${info.group}.${info.realmVariant.of}`);

/** One variant of one endpoint. */
export const endpointInfo = <Group extends GroupName>(
  group: Group,
  name: EndpointName<Group>,
): EndpointInfo => {
  const found = byName.get(`${group}.${name}`);
  if (found === undefined) throw new TypeError(`There is no endpoint ${group}.${name}.`);
  return found;
};

/** All variants of one endpoint. */
export const routeVariants = <Group extends GroupName>(
  group: Group,
  name: OperationName<Group>,
): ReadonlyArray<EndpointInfo> => byOperation[`${group}.${name}`] ?? [];
