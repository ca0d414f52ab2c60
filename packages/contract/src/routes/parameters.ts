/** The parameters of an operation, for routers, command lines and documents. */
import { isWords, type Rule } from "./rules.ts";
import { routeOf, type RouteName } from "./table.ts";

/** One parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  /** `name` and `stashId` are texts with the rules of a path segment. */
  readonly kind: "word" | "uint" | "bool" | "text" | "name" | "stashId";
  /** The values of a `word`. */
  readonly words?: ReadonlyArray<string>;
  /** The bounds of a `uint`. */
  readonly min?: number;
  readonly max?: number;
  /** The value that an absent parameter has. */
  readonly default?: string | number;
}

/** Returns the parameters of an operation, path parameters first. */
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

/** The defaults of parameters in every operation (§4.2). */
const COMMON: Readonly<Record<string, string | number>> = { realm: "pc", offset: 0 };

const describe = (rule: Rule): Pick<Parameter, "kind" | "words" | "min" | "max"> => {
  if (typeof rule === "string") return { kind: rule };
  if (isWords(rule)) return { kind: "word", words: rule };
  const [min, max] = rule as readonly [number, number?];
  return { kind: "uint", min, ...(max === undefined ? {} : { max }) };
};
