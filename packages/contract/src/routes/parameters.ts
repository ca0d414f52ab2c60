/** The parameters of an operation, for routers, command lines and documents. */
import { isWords, type Rule } from "./rules.ts";
import { routeOf, type RouteName } from "./table.ts";

/** A parameter in the path or the query of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  /** `name` and `stashId` are texts with the rules of a path segment. */
  readonly kind: "word" | "uint" | "bool" | "text" | "name" | "stashId";
  /** The permitted values, if `kind` is `word`. */
  readonly words?: ReadonlyArray<string>;
  /** The inclusive bounds, if `kind` is `uint`. Without `max` there is no upper bound. */
  readonly min?: number;
  readonly max?: number;
  /** The value that the service assumes if the parameter is absent. */
  readonly default?: string | number;
}

/** Returns the parameters of an operation, with path parameters first. */
export const parametersOf = (name: RouteName): ReadonlyArray<Parameter> => {
  const { defaults, path, params, query = {} } = routeOf(name);
  return [
    ...Object.entries(params).map(([key, rule]) => ({
      name: key,
      in: "path" as const,
      required: !path.includes(`:${key}?`),
      ...describe(rule),
    })),
    ...Object.entries(query).map(([key, rule]) => {
      const value = defaults?.[key] ?? COMMON[key];
      return {
        name: key,
        in: "query" as const,
        required: false,
        ...describe(rule),
        ...(value !== undefined && { default: value }),
      };
    }),
  ];
};

/** Defaults of parameters that are the same in every operation (§4.2). */
const COMMON: Readonly<Record<string, string | number>> = { realm: "pc", offset: 0 };

const describe = (rule: Rule): Pick<Parameter, "kind" | "words" | "min" | "max"> => {
  if (typeof rule === "string") return { kind: rule };
  if (isWords(rule)) return { kind: "word", words: rule };
  const [min, max] = rule as readonly [number, number?];
  return { kind: "uint", min, ...(max === undefined ? {} : { max }) };
};
