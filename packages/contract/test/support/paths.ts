/**
 * From parameters to a path and back.
 *
 * `pathOf` picks the form of an endpoint by itself: it takes `{ realm, league, stash_id }` and
 * knows where the realm is left out, given, or spelled `pc` because a name would be mistaken for
 * one. `matchPath` is its inverse and gives the same result as a router that serves `GameDataApi`,
 * save for empty names: it finds no endpoint, where a router finds one that answers 400. Both take
 * a deployment's words.
 */
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint";
import {
  endpointInfo,
  type EndpointInfo,
  type EndpointName,
  endpoints,
  type EndpointsOf,
  type OperationName,
  routeVariants,
  type GroupName,
  type Segment,
} from "../../src/server/Endpoints.ts";
import { encodeStrings } from "./encodeStrings.ts";
import { identityWords, realmFromWire, realmToWire, type Words } from "../../src/Words.ts";

type ParamsOfForm<Group extends GroupName, Name> = HttpApiEndpoint.Params<
  Extract<EndpointsOf<Group>, { readonly identifier: Name }>
>["Type"];

type WithRealm<Params> = Params extends { readonly realm?: infer Realm }
  ? Omit<Params, "realm"> & { readonly realm?: Exclude<Realm, undefined> | "pc" }
  : Params;

type RealmForm<Group extends GroupName, Name extends string> =
  `${Name}OfRealm` extends EndpointName<Group> ? `${Name}OfRealm` : Name;

/** The parts of a path of an endpoint. A realm that is left out is `pc`. */
export type PathParams<Group extends GroupName, Name extends OperationName<Group>> = [
  ParamsOfForm<Group, RealmForm<Group, Name>>,
] extends [never]
  ? Readonly<Record<never, never>>
  : WithRealm<ParamsOfForm<Group, RealmForm<Group, Name>>>;

/**
 * The path of a request, percent-encoded, without {auth_url} or {base_url}.
 *
 * Throws a `SchemaError` when a parameter is no segment of the path: a realm that the endpoint does
 * not know, an empty name, `.` or `..`.
 */
export const pathOf = <Group extends GroupName, Name extends OperationName<Group>>(
  group: Group,
  name: Name,
  params: PathParams<Group, Name>,
  words: Words = identityWords,
): string => {
  const info = chooseForm(group, name, params, words);
  const { realm = "pc", ...rest } = params as { readonly realm?: string };
  const isSaid = realm !== "pc" || info.realmVariant.realm === "pc";
  return buildPath(info, encodeParams(info, isSaid ? { realm, ...rest } : rest), words);
};

/** The form of an endpoint that can say these parameters. */
const chooseForm = <Group extends GroupName, Name extends OperationName<Group>>(
  group: Group,
  name: Name,
  params: object,
  words: Words = identityWords,
): EndpointInfo => {
  const { realm = "pc", ...rest } = params as { readonly realm?: string };
  const forms = routeVariants(group, name);
  const form =
    realm === "pc"
      ? (forms.find(
          (info) => info.realmVariant.realm === "pc" && isExplicitPc(info, rest, words),
        ) ?? forms.find((info) => info.realmVariant.realm === "omitted"))
      : forms.find((info) => info.realmVariant.realm === "given");
  return form ?? endpointInfo(group, name);
};

/** The path of one form from encoded parameters. */
const buildPath = (
  info: EndpointInfo,
  params: Readonly<Record<string, string | undefined>>,
  words: Words = identityWords,
): string =>
  info.segments
    .map((segment) => {
      if (segment.kind === "literal") return `/${segment.text}`;
      const value =
        segment.name === "realm" && info.realmVariant.realm === "pc" ? "pc" : params[segment.name];
      if (value === undefined) return "";
      return `/${encodeURIComponent(segment.name === "realm" ? realmToWire(value, words) : value)}`;
    })
    .join("");

/**
 * The result of `matchPath`: the form of an endpoint, and its parameters as strings, in neutral
 * words.
 */
export interface PathMatch {
  readonly info: EndpointInfo;
  readonly params: Readonly<Record<string, string>>;
}

/** The endpoint that a path belongs to. The path carries no query and no address. */
export const matchPath = (
  method: string,
  path: string,
  words: Words = identityWords,
): PathMatch | undefined => {
  const values = decodeSegments(path);
  if (values === undefined) return undefined;
  return endpoints
    .filter((info) => info.method === method)
    .flatMap((info) => {
      const params = matchSegments(info.segments, values, words);
      return params === undefined ? [] : [{ info, params }];
    })
    .toSorted((a, b) => compareSegments(a.info.segments, b.info.segments))[0];
};

const isExplicitPc = (
  info: EndpointInfo,
  params: Readonly<Record<string, unknown>>,
  words: Words,
) =>
  info.segments.every(
    (segment) =>
      segment.kind === "literal" ||
      segment.name === "realm" ||
      segment.words === undefined ||
      segment.words.some((word) => realmToWire(word, words) === params[segment.name]),
  );

const encodeParams = (info: EndpointInfo, params: unknown): Record<string, string> => {
  if (info.endpoint.params === undefined) return {};
  return encodeStrings(info.endpoint.params, params);
};

const decodeSegments = (path: string): ReadonlyArray<string> | undefined => {
  if (!path.startsWith("/")) return undefined;
  try {
    return path.slice(1).split("/").map(decodeURIComponent);
  } catch {
    return undefined; // a stray % or an encoding that is not UTF-8
  }
};

const matchSegments = (
  segments: ReadonlyArray<Segment>,
  values: ReadonlyArray<string>,
  words: Words,
): Record<string, string> | undefined => {
  if (values.length > segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const value = values[index];
    if (segment.kind === "literal") {
      if (value !== segment.text) return undefined;
      continue;
    }
    if (value === undefined) {
      if (segment.optional) continue;
      return undefined;
    }
    if (value === "") return undefined;
    if (segment.words !== undefined && !segment.words.some((w) => realmToWire(w, words) === value))
      return undefined;
    params[segment.name] = segment.name === "realm" ? realmFromWire(value, words) : value;
  }
  return params;
};

/**
 * The router's order of preference, segment by segment: a literal, a word of a pattern, any value.
 */
const compareSegments = (a: ReadonlyArray<Segment>, b: ReadonlyArray<Segment>): number => {
  for (const [index, segment] of a.entries()) {
    const other = b[index];
    if (other === undefined) return -1;
    const difference = rank(segment) - rank(other);
    if (difference !== 0) return difference;
  }
  return 0;
};

const rank = (segment: Segment) => {
  if (segment.kind === "literal") return 0;
  return segment.words === undefined ? 2 : 1;
};
