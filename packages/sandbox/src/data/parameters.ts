/**
 * Reads the parameters of a path and a query by the rules of the contract's table. Unknown
 * parameters are ignored.
 */
import { parameterValue, type Route, type Rule, violation } from "@game-data/contract/routes";

export type Parameters = Readonly<Record<string, string | number | boolean | undefined>>;

/** The parameters of a request, or what is wrong with them. */
type Decoded =
  | { readonly params: Parameters; readonly query: Parameters }
  | { readonly problem: string };

export const decodeParameters = (
  route: Route,
  params: Readonly<Record<string, string>>,
  queryText: string,
): Decoded => {
  const path = decodeAll(
    route.params ?? {},
    // One form spells `pc`: it means what leaving the realm out means.
    (name) =>
      name === "realm" && route.pcWhen !== undefined && params[name] === "pc"
        ? undefined
        : params[name],
    "path",
  );
  if ("problem" in path) return path;
  if (route.query === undefined || queryText === "") return { params: path.values, query: {} };
  const search = new URLSearchParams(queryText);
  const repeated = Object.keys(route.query).find((name) => search.getAll(name).length > 1);
  if (repeated !== undefined)
    return { problem: `Invalid query: ${repeated} is given more than once.` };
  const query = decodeAll(route.query, (name) => search.get(name) ?? undefined, "query");
  if ("problem" in query) return query;
  for (const [name, value] of Object.entries(query.values)) {
    const needed = route.needs?.[`${name}=${String(value)}`];
    if (needed !== undefined && query.values[needed] === undefined)
      return { problem: `Invalid query: ${needed} is needed for ${name} ${String(value)}.` };
  }
  return { params: path.values, query: query.values };
};

const decodeAll = (
  rules: Readonly<Record<string, Rule>>,
  read: (name: string) => string | undefined,
  part: "path" | "query",
): { readonly values: Parameters } | { readonly problem: string } => {
  const values: Record<string, string | number | boolean> = {};
  for (const [name, rule] of Object.entries(rules)) {
    const text = read(name);
    if (text === undefined) continue;
    const value = parameterValue(rule, text);
    const problem = violation(rule, value);
    if (problem !== undefined) return { problem: `Invalid ${part}: ${name} ${problem}.` };
    values[name] = value;
  }
  return { values };
};
