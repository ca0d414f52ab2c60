/** The parameters of an operation one by one, for routers, command lines and documents. */
import { routeOf, type RouteName } from "./table.ts";
import type { Route } from "./Route.ts";
import { isWords, type Rule } from "./rules.ts";

/** One parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  /** `name` and `stashId` are texts with the rules of a path segment. */
  readonly kind: "word" | "uint" | "bool" | "text" | "name" | "stashId";
  /** The words that it may be, for `word`. */
  readonly words?: ReadonlyArray<string>;
  /** The bounds, for `uint`. */
  readonly min?: number;
  readonly max?: number;
  /** The value that holds where the parameter is left out. */
  readonly default?: string | number;
}

/** The parameters of an operation, those of the path first. */
export const parametersOf = (name: RouteName): ReadonlyArray<Parameter> => {
  const { path, params, query = {} } = routeOf(name);
  return [
    ...Object.entries(params).map(([key, rule]) => ({
      name: key,
      in: "path" as const,
      required: !path.includes(`:${key}?`),
      ...detailsOf(rule),
    })),
    ...Object.entries(query).map(([key, rule]) => ({
      name: key,
      in: "query" as const,
      required: false,
      ...detailsOf(rule),
      ...defaultOf(name, key),
    })),
  ];
};

/** Defaults of parameters that hold in every operation (§4.2). */
const COMMON: Route["defaults"] = { realm: "pc", offset: 0 };

/** The value that holds where a parameter of a query is left out, if there is one. */
export const defaultOf = (name: RouteName, key: string): Pick<Parameter, "default"> => {
  const { defaults } = routeOf(name);
  const value = defaults?.[key] ?? COMMON[key];
  return value === undefined ? {} : { default: value };
};

const detailsOf = (rule: Rule): Pick<Parameter, "kind" | "words" | "min" | "max"> => {
  if (typeof rule === "string") return { kind: rule as "text" };
  if (isWords(rule)) return { kind: "word", words: rule };
  const [min, max] = rule as readonly [number, number?];
  return { kind: "uint", min, ...(max === undefined ? {} : { max }) };
};
