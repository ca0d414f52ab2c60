/** The types of requests and results, which follow from the table of operations. */
import type { PlainRecord } from "@game-data/schemas/PlainRecord";
import type { RouteName, Routes } from "./table.ts";
import type * as bodies from "./bodies.ts";
import type { BodyName, Route } from "./Route.ts";

/** Maps the rule of a parameter to the type of its values. */
type ValueOf<R> = R extends "bool"
  ? boolean
  : R extends string
    ? string
    : R extends readonly [number, number?]
      ? number
      : R extends ReadonlyArray<infer Word>
        ? Word
        : never;

type QueryOf<R> = R extends { readonly query: infer Query } ? Query : unknown;

/** Selects the parameters that a path template marks as optional with `?`. */
type OptionalIn<Path, Name> = Name extends string
  ? Path extends `${string}:${Name}?${string}`
    ? Name
    : never
  : never;

/** Maps each parameter separately, so that editors show the comments of the table of operations. */
type Required<Params, Name extends keyof Params> = {
  readonly [Key in Name]: ValueOf<Params[Key]>;
};
type Optional<Rules, Name extends keyof Rules = keyof Rules> = {
  readonly [Key in Name]?: ValueOf<Rules[Key]> | undefined;
};
/** Adds `pc` to the values of `realm`, because a path without a realm means `pc`. */
type InPath<Params, Name extends keyof Params> = {
  readonly [Key in Name]?: (Key extends "realm" ? "pc" : never) | ValueOf<Params[Key]> | undefined;
};
type Simplify<T> = { [Key in keyof T]: T[Key] };

type RequestOf<R extends Route> = keyof R["params"] | keyof QueryOf<R> extends never
  ? Readonly<Record<string, never>>
  : Simplify<
      Required<R["params"], Exclude<keyof R["params"], OptionalIn<R["path"], keyof R["params"]>>> &
        InPath<R["params"], OptionalIn<R["path"], keyof R["params"]> & keyof R["params"]> &
        Optional<QueryOf<R>>
    >;

/** The parameters of each operation. Path and query parameters are members of one object. */
export type Requests = { readonly [Name in RouteName]: RequestOf<Routes[Name]> };

/** The TypeScript type of a body, by the body's name. */
export type BodyOf<Name extends BodyName> = {
  [One in Name]: (typeof bodies)[One] extends PlainRecord<infer Value> ? Value : never;
}[Name];

type ResultNames<R extends Route> = R["results"][keyof R["results"]] & BodyName;

/** The type of each operation's response body. Several statuses give a union. */
export type Results = { readonly [Name in RouteName]: BodyOf<ResultNames<Routes[Name]>> };

/** The type of the value that clients return: the member `take` of the body, or the whole body. */
export type Taken<Name extends RouteName> = Routes[Name] extends {
  readonly take: infer Member extends keyof Results[Name];
}
  ? Results[Name][Member]
  : Results[Name];

/** The operations that return pages, which are those with `limit` and `offset` in the query. */
export type PagedName = {
  [Name in RouteName]: Routes[Name] extends {
    readonly query: { readonly limit: unknown; readonly offset: unknown };
  }
    ? Name
    : never;
}[RouteName];
