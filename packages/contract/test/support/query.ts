/** Reads the query string of an operation as a server does: by the rules of the table. */
import {
  parameterValue,
  requestTarget,
  type Route,
  type RouteName,
  routes,
} from "../../src/index.ts";

/** The values of a query; `undefined` if it is refused. */
export const query = (group: string, method: string, search: string): unknown => {
  const name = `${group}.${method}` as RouteName;
  const { params, query: rules = {} }: Route = routes[name];
  const values = Object.fromEntries(
    [...new URLSearchParams(search)].map(([key, text]) => [key, parameterValue(rules[key]!, text)]),
  );
  const path = Object.fromEntries(
    Object.keys(params)
      .filter((key) => key !== "realm")
      .map((key) => [key, "x"]),
  );
  try {
    requestTarget(name, { ...path, ...values } as never);
    return values;
  } catch {
    return undefined;
  }
};
