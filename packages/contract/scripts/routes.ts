/**
 * Writes the route table as a TypeScript module, from the endpoints of the HttpApi.
 *
 * The variants of an endpoint become one entry. Only what the contract uses is understood: a
 * parameter or a check that has no rule throws here, at build time.
 */
import { Schema, SchemaAST } from "effect";
import type { EndpointInfo } from "../src/server/Endpoints.ts";
import { endpoints } from "../src/server/Endpoints.ts";
import { identifierOf } from "./bodies.ts";
import { NAME, NEEDS, type Rule, STASH_ID } from "../src/routes/rules.ts";

interface Parameter {
  readonly name: string;
  readonly rule: Rule;
  readonly optional: boolean;
  readonly fallback: unknown;
}

/** One operation with all of its variants; the first one has no realm segment of its own. */
interface Operation {
  readonly name: string;
  readonly variants: ReadonlyArray<EndpointInfo>;
}

const header = (what: string) =>
  `/**\n * ${what}\n *\n * Generated from the HttpApi by \`pnpm generate\`. Not to be edited.\n */`;

const operations = (base: "auth" | "data"): ReadonlyArray<Operation> => {
  const families = Map.groupBy(
    endpoints.filter((info) => info.base === base),
    ({ group, realmVariant }) => `${group}.${realmVariant.of}`,
  );
  return [...families].map(([name, variants]) => ({ name, variants }));
};

/** The module of the table. */
export const tableModule = (): string => {
  const lines = operations("data").map(
    (operation) => `  ${JSON.stringify(operation.name)}: ${JSON.stringify(routeOf(operation))},`,
  );
  const oauth = operations("auth").map(({ name, variants: [info] }) => {
    const { method, path, scopes } = info!;
    return `  ${JSON.stringify(name)}: ${JSON.stringify({ method, path, route: `${method} ${path}`, scopes })},`;
  });
  return [
    header("The operations of the data API and of the OAuth server."),
    'import type { OAuthRoute, Route } from "../Route.ts";',
    'import type { Requests } from "./requests.ts";',
    "",
    `/** The operations of the data API (§4.2), in the order of the specification. */`,
    "export const routes = {",
    ...lines,
    "} as const satisfies Readonly<Record<keyof Requests, Route>>;",
    "",
    `/** The operations of the OAuth server (§4.1). */`,
    "export const oauthRoutes = {",
    ...oauth,
    "} as const satisfies Readonly<Record<string, OAuthRoute>>;",
    "",
  ].join("\n");
};

const routeOf = ({ name, variants }: Operation) => {
  const first = variants.find(
    ({ realmVariant }) => realmVariant.realm !== "given" && realmVariant.realm !== "pc",
  )!;
  const given = variants.find(({ realmVariant }) => realmVariant.realm === "given") ?? first;
  const explicitPc = variants.find(({ realmVariant }) => realmVariant.realm === "pc");
  const params = parametersOf(given.endpoint.params);
  const query = parametersOf(given.endpoint.query);
  const defaults = Object.fromEntries(
    query.flatMap(({ name: key, fallback }) => (fallback === undefined ? [] : [[key, fallback]])),
  );
  const pcWhen = explicitPc?.segments.find(
    (segment) =>
      segment.kind === "param" && segment.name !== "realm" && segment.words !== undefined,
  );
  const body = [...given.endpoint.payload.values()].flatMap(({ schemas }) =>
    schemas.map(identifierOf),
  );
  if (body.length > 1) throw new Error(`${name}: more than one body`);
  for (const { name: key, optional } of query)
    if (!optional) throw new Error(`${name}: the query parameter ${key} is required`);
  return {
    method: given.method,
    path: given.path.replace(/:realm\([^)]*\)/u, ":realm?"),
    route: `${first.method} ${first.path}`,
    scopes: given.scopes,
    params: rulesOf(params),
    ...(query.length === 0 ? {} : { query: rulesOf(query) }),
    ...(Object.keys(defaults).length === 0 ? {} : { defaults }),
    ...(pcWhen?.kind === "param" ? { pcWhen: pcWhen.name } : {}),
    ...(body.length === 0 ? {} : { body: body[0] }),
    results: Object.fromEntries(
      [...given.successes].map(([status, [schema]]) => [status, identifierOf(schema)]),
    ),
  };
};

const rulesOf = (parameters: ReadonlyArray<Parameter>) =>
  Object.fromEntries(parameters.map(({ name, rule }) => [name, rule]));

const parametersOf = (schema: Schema.Top | undefined): ReadonlyArray<Parameter> => {
  if (schema === undefined) return [];
  const { ast } = Schema.toType(schema);
  if (ast._tag !== "Objects") throw new Error(`parameters are no structure: ${ast._tag}`);
  const parameters = ast.propertySignatures.map(({ name, type }): Parameter => ({
    name: String(name),
    rule: ruleOf(String(name), type),
    optional: SchemaAST.isOptional(type),
    fallback: SchemaAST.resolve(type)?.["default"],
  }));
  const pairs = Object.entries(NEEDS).filter(([pair, other]) => {
    const [key, word] = pair.split("=");
    const rule = parameters.find(({ name }) => name === key)?.rule;
    return (
      Array.isArray(rule) && rule.includes(word) && parameters.some(({ name }) => name === other)
    );
  });
  if ((ast.checks?.length ?? 0) !== pairs.length)
    throw new Error(`a check between parameters that NEEDS does not hold`);
  return parameters;
};

const ruleOf = (name: string, ast: SchemaAST.AST): Rule => {
  const checks = (ast.checks ?? []).map(({ annotations }) => {
    const { id, payload } = (annotations ?? {})["representation"] as {
      id: string;
      payload: object | null;
    };
    return `${id.replace("effect/schema/", "")} ${JSON.stringify(payload)}`;
  });
  switch (ast._tag) {
    case "Union":
      return ast.types.map((type) => {
        if (type._tag === "Literal" && typeof type.literal === "string") return type.literal;
        throw new Error(`${name}: a union of other things than words`);
      });
    case "Boolean":
      return "bool";
    case "Number":
      return numberRule(name, checks);
    case "String":
      return textRule(name, checks);
    default:
      throw new Error(`${name}: no rule for ${ast._tag}`);
  }
};

const numberRule = (name: string, [int, bounds = "", ...others]: ReadonlyArray<string>): Rule => {
  const { minimum, maximum } = JSON.parse(bounds.slice(bounds.indexOf(" ") + 1)) as {
    minimum: number;
    maximum?: number;
  };
  const known = ["isBetween", "isGreaterThanOrEqualTo"].includes(bounds.split(" ")[0]!);
  if (int !== "isInt null" || !known || others.length > 0) throw new Error(`${name}: no rule`);
  return maximum === undefined ? [minimum] : [minimum, maximum];
};

const pattern = ({ source, flags }: RegExp) => `isPattern ${JSON.stringify({ source, flags })}`;
const NOT_EMPTY = 'isMinLength {"minLength":1}';
const TEXTS: ReadonlyMap<string, Rule> = new Map([
  [NOT_EMPTY, "text"],
  [`${NOT_EMPTY},${pattern(NAME)}`, "name"],
  [`${NOT_EMPTY},${pattern(NAME)},${pattern(STASH_ID)}`, "stashId"],
]);

const textRule = (name: string, checks: ReadonlyArray<string>): Rule => {
  const rule = TEXTS.get(checks.join(","));
  if (rule === undefined) throw new Error(`${name}: no rule for ${checks.join(", ")}`);
  return rule;
};

/** The module of the types of requests. */
export const requestsModule = (): string => {
  const members = operations("data").map(({ name, variants }) => {
    const given =
      variants.find(({ realmVariant }) => realmVariant.realm === "given") ?? variants[0]!;
    const params = parametersOf(given.endpoint.params);
    const query = parametersOf(given.endpoint.query);
    const lines = [
      ...params.map((parameter) => member(parameter, true)),
      ...query.map((parameter) => member(parameter, false)),
    ];
    return lines.length === 0
      ? `  readonly ${JSON.stringify(name)}: Readonly<Record<string, never>>;`
      : `  readonly ${JSON.stringify(name)}: {${lines.map((line) => `\n    ${line}`).join("")}\n  };`;
  });
  return [
    header("The parameters of the operations of the data API."),
    "",
    "/** The parameters of each operation, of its path and its query together. */",
    "export interface Requests {",
    ...members,
    "}",
    "",
  ].join("\n");
};

const member = ({ name, rule, optional, fallback }: Parameter, inPath: boolean): string => {
  const isPathRealm = inPath && name === "realm";
  const type = isPathRealm ? `"pc" | ${typeOf(rule)}` : typeOf(rule);
  const words = describe(rule, isPathRealm ? "pc" : fallback);
  const isOptional = optional || isPathRealm;
  return `${words}readonly ${name}${isOptional ? "?" : ""}: ${type}${isOptional ? " | undefined" : ""};`;
};

const describe = (rule: Rule, fallback: unknown): string => {
  const bounds =
    Array.isArray(rule) && typeof rule[0] === "number"
      ? rule.length > 1
        ? [`From ${rule[0]} to ${rule[1]}.`]
        : [`At least ${rule[0]}.`]
      : [];
  const parts = [
    ...bounds,
    ...(fallback === undefined ? [] : [`Default: ${JSON.stringify(fallback)}.`]),
  ];
  return parts.length === 0 ? "" : `/** ${parts.join(" ")} */\n    `;
};

const typeOf = (rule: Rule): string => {
  if (rule === "bool") return "boolean";
  if (typeof rule === "string") return "string";
  return typeof rule[0] === "number"
    ? "number"
    : rule.map((word) => JSON.stringify(word)).join(" | ");
};

/** The bodies of all operations. */
export const bodyNames = (): ReadonlySet<string> =>
  new Set(
    operations("data").flatMap((operation) => {
      const { body, results } = routeOf(operation);
      return [...Object.values(results), ...(body === undefined ? [] : [body])];
    }),
  );

/** The module that finds a result by operation. */
export const resultsModule = (): string => {
  const all = operations("data").map((operation) => ({
    name: operation.name,
    ...routeOf(operation),
  }));
  const names = [...bodyNames()].toSorted();
  return [
    header("The results of the operations of the data API."),
    `import { ${names.join(", ")} } from "./bodies.ts";`,
    "",
    "/** The body that each operation answers with. */",
    "export interface Results {",
    ...all.map(
      ({ name, results }) =>
        `  readonly ${JSON.stringify(name)}: ${[...new Set(Object.values(results))].join(" | ")};`,
    ),
    "}",
    "",
    "/** The bodies of requests and responses by their names in the route table. */",
    `export const bodies = { ${names.join(", ")} } as const;`,
    "",
  ].join("\n");
};
