/**
 * The data API as an `HttpApi`, made from the table of operations: for a server or a client of your
 * own in Effect. The client of `@game-data/api-client` has limits and retries as well.
 *
 * An operation has an endpoint for each reading of its optional segments: `characters` has `list`,
 * `list.console_a`, `list.console_b` and `list.game2`. A pc league or character that is called like
 * a realm cannot be asked for. Credentials are middleware of your own.
 *
 * @example
 * ```ts
 * import { GameDataApi } from "@game-data/contract/effect/HttpApi";
 * import { OpenApi } from "effect/http-api";
 *
 * const { paths } = OpenApi.fromApi(GameDataApi);
 * if (!("/profile" in paths)) throw new Error("no operation");
 * ```
 */
import * as Schema from "effect/Schema";
import * as HttpApi from "effect/http-api/HttpApi";
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint";
import * as HttpApiGroup from "effect/http-api/HttpApiGroup";
import * as HttpApiSchema from "effect/http-api/HttpApiSchema";
import { errors } from "../ErrorCode.ts";
import { operations } from "../operations.ts";
import type { BodyOf, Results, ValueOf } from "../routes/requests.ts";
import type { BodyName, Route } from "../routes/Route.ts";
import { type Rule, violation } from "../routes/rules.ts";
import { type GroupName, routeOf, type RouteName, type Routes } from "../routes/table.ts";
import { bodySchemas } from "./bodySchemas.ts";
import { ErrorBody } from "./ErrorBody.ts";

type HasRealm<Word> = { readonly params: { readonly realm: ReadonlyArray<Word> } };
type Plus<Word> = Word extends string ? [`.${Word}`, `/${Word}`] : never;
/** What a segment adds to the name of an endpoint and to its path. */
type Said<R, Segment extends string> = Segment extends ":realm?"
  ? ["", ""] | (R extends HasRealm<infer Word> ? Plus<Word> : never)
  : Segment extends `:${infer Key}?`
    ? ["", ""] | [`.${Key}`, `/:${Key}`]
    : ["", `/${Segment}`];
type Append<Done, Next> = Done extends `${infer Id} ${infer Path}`
  ? Next extends [infer More extends string, infer Segment extends string]
    ? `${Id}${More} ${Path}${Segment}`
    : never
  : never;
/** The readings of a path: name and path of each endpoint, with a blank between. */
type Readings<R, Left, Done> = Left extends `/${infer Segment}/${infer Rest}`
  ? Readings<R, `/${Rest}`, Append<Done, Said<R, Segment>>>
  : Left extends `/${infer Segment}`
    ? Append<Done, Said<R, Segment>>
    : never;
type Texts<T> = [keyof T] extends [never] ? never : Schema.Codec<T, any>;
type ParamsOf<Params, Path> = Texts<{
  readonly [
    K in keyof Params as Path extends `${string}/:${K & string}${"" | `/${string}`}` ? K : never
  ]: ValueOf<Params[K]>;
}>;
type QueryOf<R> = R extends { readonly query: infer Query }
  ? Texts<{ readonly [Key in keyof Query]?: ValueOf<Query[Key]> }>
  : never;
type PayloadOf<R> = R extends { readonly body: infer Body extends BodyName }
  ? Schema.Codec<BodyOf<Body>>
  : never;
type EndpointOf<
  Name extends RouteName,
  R extends Route,
  Reading,
> = Reading extends `${infer Id} ${infer Path}`
  ? HttpApiEndpoint.HttpApiEndpoint<
      Id,
      R["method"],
      Path,
      ParamsOf<R["params"], Path>,
      QueryOf<R>,
      PayloadOf<R>,
      never,
      Schema.Codec<Results[Name]>,
      typeof ErrorBody
    >
  : never;
type EndpointsOf<Name extends RouteName> = Name extends `${string}.${infer Method}`
  ? EndpointOf<Name, Routes[Name], Readings<Routes[Name], Routes[Name]["path"], `${Method} `>>
  : never;
type GroupOf<Name extends GroupName> = HttpApiGroup.HttpApiGroup<
  Name,
  EndpointsOf<RouteName & `${Name}.${string}`>
>;
type Groups = { [Name in GroupName]: GroupOf<Name> }[GroupName];

const textOf = (rule: Rule) => {
  const isNumber = typeof rule !== "string" && typeof rule[0] === "number";
  const type = rule === "bool" ? Schema.Boolean : isNumber ? Schema.Finite : Schema.String;
  const check = Schema.makeFilter((value: unknown) => violation(rule, value));
  return Schema.toCodecStringTree((type as Schema.Codec<unknown>).check(check));
};

const fieldsOf = (rules: ReadonlyArray<[string, Rule]>, wrap = (type: Schema.Top) => type) =>
  Schema.Struct(Object.fromEntries(rules.map(([key, rule]) => [key, wrap(textOf(rule))])));

const readingsOf = ({ params, path }: Route, method: string) => {
  let readings: ReadonlyArray<readonly [id: string, path: string]> = [[method, ""]];
  for (const segment of path.slice(1).split("/")) {
    const [, key] = /^:(\w+)\?$/u.exec(segment) ?? [];
    const words = key === "realm" ? (params[key] as ReadonlyArray<string>) : [`:${key}`];
    const said = words.map((word) => [`.${word.replace(":", "")}`, `/${word}`]);
    const next = key === undefined ? [["", `/${segment}`]] : [["", ""], ...said];
    readings = readings.flatMap(([id, done]) => next.map(([a, b]) => [id + a, done + b] as const));
  }
  return readings;
};

const failures = Object.values(errors)
  .filter(({ status }) => status >= 400)
  .map(({ status }) => ErrorBody.pipe(HttpApiSchema.status(status)));

const endpointsOf = (route: Route, method: string) => {
  const { body, params, query, results } = route;
  // A server encodes by the first schema that fits: a body of 202 fits that of 200 as well.
  const success = Object.entries(results)
    .toReversed()
    .map(([status, name]) => bodySchemas[name].pipe(HttpApiSchema.status(Number(status)) as never));
  return readingsOf(route, method).map(([id, path]) => {
    const inPath = Object.entries(params).filter(([key]) => `${path}/`.includes(`/:${key}/`));
    return HttpApiEndpoint.make(route.method)(
      id,
      path as "/",
      {
        disableCodecs: true,
        ...(inPath.length > 0 && { params: fieldsOf(inPath) }),
        ...(query && { query: fieldsOf(Object.entries(query), Schema.optionalKey) }),
        ...(body && { payload: bodySchemas[body] }),
        success,
        error: failures,
      } as never,
    );
  });
};

/** The data API: `HttpApiBuilder.group(GameDataApi, …)` serves it, `HttpApiClient.make` calls it. */
export const GameDataApi: HttpApi.HttpApi<"GameDataApi", Groups> = HttpApi.make("GameDataApi").add(
  ...(Object.entries(operations).map(([group, methods]) =>
    HttpApiGroup.make(group).add(
      ...(Object.keys(methods).flatMap((method) =>
        endpointsOf(routeOf(`${group}.${method}` as RouteName), method),
      ) as [any]),
    ),
  ) as [any]),
) as never;
