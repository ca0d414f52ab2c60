/**
 * Reads the parameters of a path and a query by the rules of the contract's table. Unknown
 * parameters are ignored.
 */
import { type ContractRoute, NEEDS, type ParameterRule } from "../contract.ts";
import { queryOf } from "../http/messages.ts";

/** Decoded parameters by name. */
export type Parameters = Readonly<Record<string, string | number | boolean | undefined>>;

/** The parameters of a request, or what is wrong with them. */
export type Decoded =
  | { readonly params: Parameters; readonly query: Parameters }
  | { readonly problem: string };

/** Reads a request's parameters. */
export const decodeParameters = (
  route: ContractRoute,
  params: Readonly<Record<string, string>>,
  url: string,
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
  const text = queryOf(url);
  if (route.query === undefined || text === "") return { params: path.values, query: {} };
  const search = new URLSearchParams(text);
  const repeated = Object.keys(route.query).find((name) => search.getAll(name).length > 1);
  if (repeated !== undefined)
    return { problem: `Invalid query: ${repeated} is given more than once.` };
  const query = decodeAll(route.query, (name) => search.get(name) ?? undefined, "query");
  if ("problem" in query) return query;
  for (const [name, value] of Object.entries(query.values)) {
    const needed = NEEDS[`${name}=${String(value)}`];
    if (needed !== undefined && query.values[needed] === undefined)
      return { problem: `Invalid query: ${name} ${String(value)} needs ${needed}.` };
  }
  return { params: path.values, query: query.values };
};

const decodeAll = (
  rules: Readonly<Record<string, ParameterRule>>,
  read: (name: string) => string | undefined,
  part: "path" | "query",
): { readonly values: Parameters } | { readonly problem: string } => {
  const values: Record<string, string | number | boolean> = {};
  for (const name of Object.keys(rules)) {
    const rule = rules[name]!;
    const text = read(name);
    if (text === undefined) continue;
    const value = decodeOne(rule, text);
    if (value === undefined)
      return { problem: `Invalid ${part}: ${name} has to be ${describe(rule)}.` };
    values[name] = value;
  }
  return { values };
};

/** A name in a path: not empty, not `.` or `..`, no half of a surrogate pair. */
const NAME = /^(?!\.{1,2}$)\P{Cs}+$/u;

const decodeOne = (rule: ParameterRule, text: string): string | number | boolean | undefined => {
  if (rule === "name") return NAME.test(text) ? text : undefined;
  if (rule === "stashId")
    return NAME.test(text) && text !== "console_a" && text !== "console_b" ? text : undefined;
  if (rule === "text") return text === "" ? undefined : text;
  if (rule === "bool") return text === "true" ? true : text === "false" ? false : undefined;
  if (typeof rule[0] === "string")
    return (rule as ReadonlyArray<string>).includes(text) ? text : undefined;
  const [minimum, maximum = Number.MAX_SAFE_INTEGER] = rule as readonly [number, number?];
  const value = text.trim() === "" ? Number.NaN : Number(text);
  return Number.isSafeInteger(value) && value >= minimum && value <= maximum ? value : undefined;
};

const describe = (rule: ParameterRule): string => {
  if (rule === "name") return "a name";
  if (rule === "stashId") return "the id of a tab";
  if (rule === "text") return "a text that is not empty";
  if (rule === "bool") return "true or false";
  if (typeof rule[0] === "string") return `one of ${rule.join(", ")}`;
  return rule[1] === undefined
    ? `a whole number from ${String(rule[0])}`
    : `a whole number from ${String(rule[0])} to ${String(rule[1])}`;
};
