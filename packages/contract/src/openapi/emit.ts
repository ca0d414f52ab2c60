/**
 * Writes the OpenAPI 3.1 document from the table of operations and the schemas of the bodies.
 *
 * What several operations share stands in `components` once: success responses by the name of their
 * body, parameters by their name, errors as `4XX`, `429` and `5XX`.
 */
import { type Json, makeJsonSchemaWriter, type Notes } from "@game-data/schemas/JsonSchema";
import { bodies, ErrorBody } from "../routes/bodies.ts";
import { groupTexts } from "./generated/texts.ts";
import { defaultOf } from "../routes/parameters.ts";
import type { BodyName, Route } from "../routes/Route.ts";
import { patternOf, type Rule } from "../routes/rules.ts";
import { oauthRoutes, type RouteName, routes } from "../routes/table.ts";
import { oauthOperation } from "./oauth.ts";
import { oauthSchemas } from "./oauthSchemas.ts";
import { concretePaths } from "./paths.ts";
import {
  about,
  DATA_ERRORS,
  errorResponses,
  type Examples,
  HEADERS,
  headers,
  json,
  jsonBody,
  oauth2Of,
  response,
  server,
  type Servers,
} from "./shared.ts";

/** An OpenAPI document, as far as its users here read it. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: ReadonlyArray<Json>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly tags: ReadonlyArray<Json>;
}

/** The document in the specification's words, with the examples and addresses that are given. */
export const emit = (examples: Examples, servers?: Servers, notes?: Notes): OpenApiDocument => {
  const { definitions, write } = makeJsonSchemaWriter("#/components/schemas/", notes);
  const parameters = new Map<string, Json>();
  const responses: Record<string, Json> = errorResponses(examples);
  const paths: Record<string, Record<string, Json>> = {};
  for (const name of Object.keys(oauthRoutes) as Array<keyof typeof oauthRoutes>)
    paths[oauthRoutes[name].path] = {
      servers: [server("auth", servers?.authUrl)] as unknown as Json,
      [oauthRoutes[name].method.toLowerCase()]: oauthOperation(name, examples),
    };
  for (const { name, operationId, path } of concretePaths()) {
    const route: Route = routes[name];
    for (const [status, body] of Object.entries(route.results))
      responses[body] ??= success(body, write(bodies[body]), examples[name]?.[status]);
    (paths[path] ??= {})[route.method.toLowerCase()] = {
      ...about(name, operationId),
      parameters: parametersIn(name, path).map((parameter) => share(parameters, name, parameter)),
      ...(route.body === undefined ? {} : { requestBody: jsonBody(write(bodies[route.body])) }),
      security: [{ oauth2: route.scopes }],
      responses: {
        ...Object.fromEntries(
          Object.entries(route.results).map(([status, body]) => [status, response(body)]),
        ),
        ...DATA_ERRORS,
      },
    };
  }
  write(ErrorBody);
  return {
    openapi: "3.1.0",
    info: INFO,
    servers: [server("data", servers?.baseUrl)],
    tags: Object.entries({ ...groupTexts, oauth: "The OAuth server (§4.1)." }).map(
      ([name, description]) => ({ name, description }),
    ),
    paths,
    components: {
      securitySchemes: { oauth2: oauth2Of(servers?.authUrl) },
      parameters: Object.fromEntries(parameters),
      headers: HEADERS,
      responses,
      schemas: { ...oauthSchemas, ...forGenerators(definitions) },
    },
  };
};

/** Removes the largest safe integer as a maximum: code generators would write it out. */
const forGenerators = <A>(schemas: A): A =>
  JSON.parse(
    JSON.stringify(schemas, (key, value: unknown) =>
      key === "maximum" && value === Number.MAX_SAFE_INTEGER ? undefined : value,
    ),
  ) as A;

const INFO = {
  title: "Game Data API",
  version: "1",
  description: "Data of a game account over HTTP, with access by OAuth 2.1.",
  contact: { name: "Game Data", url: "https://github.com/game-data/game-data/issues" },
  license: { name: "MIT", identifier: "MIT" },
};

const success = (name: BodyName, schema: Json, example: unknown): Json => ({
  description: name,
  headers: headers("rateLimitPolicy", "rateLimitRules"),
  content: json(schema, example === undefined ? {} : { example }),
});

/** A parameter as OpenAPI describes it. */
interface ParameterObject extends Json {
  readonly name: string;
}

const parametersIn = (name: RouteName, path: string): ReadonlyArray<ParameterObject> => {
  const { params, pcWhen, query = {} }: Route = routes[name];
  const inPath = [...path.matchAll(/\{(\w+)\}/gu)].map(([, key]) => key!);
  // Behind `pc` stands a name that could be read as a realm, and no other.
  const isRealm = (key: string) => key === pcWhen && path.includes(`/pc/{${key}}`);
  return [
    ...inPath.map((key) => ({
      name: key,
      in: "path",
      required: true,
      schema: schemaOf(params[isRealm(key) ? "realm" : key]!),
    })),
    ...Object.entries(query).map(([key, rule]) => ({
      name: key,
      in: "query",
      schema: {
        ...schemaOf(rule),
        ...defaultOf(name, key),
      },
    })),
  ];
};

const schemaOf = (rule: Rule): Json => {
  if (rule === "bool") return { type: "boolean" };
  if (typeof rule === "string") {
    const pattern = patternOf(rule);
    // Bounded: it is one of 2 patterns of ours, and both are linear.
    return { type: "string", minLength: 1, ...(pattern === undefined ? {} : { pattern }) };
  }
  if (typeof rule[0] === "string") return { type: "string", enum: rule };
  const [minimum, maximum] = rule as readonly [number, number?];
  return { type: "integer", minimum, ...(maximum === undefined ? {} : { maximum }) };
};

/** A reference to the parameter: by its name, or by its operation's where that name is taken. */
const share = (known: Map<string, Json>, operation: string, parameter: ParameterObject): Json => {
  const text = JSON.stringify(parameter);
  const same = [...known].find(([, other]) => JSON.stringify(other) === text)?.[0];
  const { name } = parameter;
  const key = same ?? (known.has(name) ? `${operation}.${name}` : name);
  known.set(key, parameter);
  return { $ref: `#/components/parameters/${key}` };
};
