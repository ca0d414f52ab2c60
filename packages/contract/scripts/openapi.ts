/**
 * Writes `openapi.json`: `openapi.template.json` with the operations of the table, the bodies of the
 * records, and the responses of `examples.json`.
 *
 * Parameters are shared by name, success responses by the name of their body, and errors as `4XX`,
 * `429` and `5XX`, because generators write one type for each shared part.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Json, makeJsonSchemaWriter } from "@game-data/schemas/JsonSchema";
import { readNotes } from "../../schemas/scripts/notes.ts";
import { bodies } from "../src/routes/results.ts";
import { type Parameter, parametersOf } from "../src/routes/parameters.ts";
import type { Route } from "../src/routes/Route.ts";
import { patterns } from "../src/routes/rules.ts";
import { type GroupName, type RouteName, routes } from "../src/routes/table.ts";
import { concretePaths } from "./concretePaths.ts";

/** An OpenAPI document, as far as this script and its tests read it. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Json;
  readonly servers: ReadonlyArray<Json>;
  readonly tags: ReadonlyArray<Json>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Json>>>>;
}

/** Bodies by status, by operation. `data` and `oauth` have those of errors. */
type Examples = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const home = new URL("../", import.meta.url);
const readText = (name: string) => readFileSync(new URL(name, home), "utf8");

/** Returns the document as `openapi.json` should be. */
export const makeDocument = (): OpenApiDocument => {
  const template = JSON.parse(readText("scripts/openapi.template.json")) as OpenApiDocument;
  const examples = JSON.parse(readText("examples.json")) as Examples;
  const { groups, summaries } = readComments();
  const notes = readNotes(fileURLToPath(new URL("src/routes/bodies.ts", home)));
  const { definitions, write } = makeJsonSchemaWriter("#/components/schemas/", notes);
  const parameters = new Map<string, Json>();
  const responses: Record<string, Json> = {};
  const paths: Record<string, Record<string, Json>> = {};
  for (const { name, operationId, path } of concretePaths()) {
    const { body, method, results, route, scopes }: Route = routes[name];
    for (const [status, result] of Object.entries(results))
      responses[result] ??= success(result, write(bodies[result]), examples[name]?.[status]);
    (paths[path] ??= {})[method.toLowerCase()] = {
      tags: [name.split(".")[0]],
      operationId,
      summary: summaries.get(name),
      // The name of the operation in errors, metrics and rate limits.
      description: `\`${route}\``,
      parameters: parametersIn(name, path).map((parameter) => share(parameters, name, parameter)),
      ...(body && { requestBody: { required: true, content: json(write(bodies[body])) } }),
      security: [{ oauth2: scopes }],
      responses: {
        ...Object.fromEntries(
          Object.entries(results).map(([status, result]) => [status, ref("responses", result)]),
        ),
        "4XX": ref("responses", "Refused"),
        429: ref("responses", "Limited"),
        "5XX": ref("responses", "Failed"),
      },
    };
  }
  write(bodies.ErrorBody);
  const { components, tags } = template;
  return addExamples(examples, {
    ...template,
    tags: [...groups.map(([name, description]) => ({ name, description })), ...tags],
    paths: { ...template.paths, ...paths },
    components: {
      ...components,
      parameters: Object.fromEntries(parameters),
      responses: { ...components["responses"], ...responses },
      schemas: { ...components["schemas"], ...forGenerators(definitions) },
    },
  });
};

/** Reads the comments on groups and operations of the table. */
const readComments = () => {
  const groups: Array<readonly [GroupName, string]> = [];
  const summaries = new Map<string, string>();
  const comments = readText("src/operations.ts").matchAll(
    /^( +)\/\*\* (.+)\. \*\/\n +(\w+): \{$/gmu,
  );
  for (const [, indent, text, name] of comments)
    if (indent === "  ") groups.push([name as GroupName, `${text}.`]);
    else summaries.set(`${groups.at(-1)?.[0]}.${name}`, text!);
  return { groups, summaries };
};

const ref = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });

const json = (schema: Json): Json => ({ "application/json": { schema } });

const success = (description: string, schema: Json, example: unknown): Json => ({
  description,
  headers: {
    "x-rate-limit-policy": ref("headers", "rateLimitPolicy"),
    "x-rate-limit-rules": ref("headers", "rateLimitRules"),
  },
  content: { "application/json": { schema, ...(example !== undefined && { example }) } },
});

/** The parameters of a path, which may spell its realm out. */
const parametersIn = (name: RouteName, path: string): ReadonlyArray<Json> => {
  const { pcWhen }: Route = routes[name];
  const all = parametersOf(name);
  const realm = all.find((parameter) => parameter.name === "realm")!;
  return all.flatMap((parameter): ReadonlyArray<Json> => {
    const { in: place, name: key } = parameter;
    if (place === "query") return [{ name: key, in: place, schema: parameterSchema(parameter) }];
    if (!path.includes(`{${key}}`)) return [];
    // The name behind a spelled `pc` is one that could be read as a realm.
    const isRealm = key === pcWhen && path.includes(`/pc/{${key}}`);
    return [
      {
        name: key,
        in: place,
        required: true,
        schema: parameterSchema(isRealm ? realm : parameter),
      },
    ];
  });
};

const parameterSchema = ({ default: byDefault, kind, max, min, words }: Parameter): Json => {
  const rest = byDefault === undefined ? {} : { default: byDefault };
  if (kind === "bool") return { type: "boolean", ...rest };
  if (kind === "word") return { type: "string", enum: words, ...rest };
  if (kind === "uint")
    return { type: "integer", minimum: min, ...(max !== undefined && { maximum: max }), ...rest };
  const pattern = patterns[kind];
  return { type: "string", minLength: 1, ...(pattern && { pattern }), ...rest };
};

/** Returns a reference to the parameter: by its name, or by its operation's if the name is taken. */
const share = (shared: Map<string, Json>, operation: string, parameter: Json): Json => {
  const text = JSON.stringify(parameter);
  const same = [...shared].find(([, other]) => JSON.stringify(other) === text)?.[0];
  const name = parameter["name"] as string;
  const key = same ?? (shared.has(name) ? `${operation}.${name}` : name);
  shared.set(key, parameter);
  return ref("parameters", key);
};

/** Removes the largest safe integer as a maximum, which code generators would write out. */
const forGenerators = (schemas: OpenApiDocument["components"][string]): typeof schemas =>
  JSON.parse(
    JSON.stringify(schemas, (key, value: unknown) =>
      key === "maximum" && value === Number.MAX_SAFE_INTEGER ? undefined : value,
    ),
  ) as typeof schemas;

/** Adds the examples to the responses of the template: errors by status, and OAuth's successes. */
const addExamples = (examples: Examples, document: OpenApiDocument): OpenApiDocument => {
  const { paths } = document;
  const responses = document.components["responses"] as Record<string, any>;
  const add = (name: string, kind: string, fits: (status: number) => boolean) => {
    const errors = Object.entries(examples[kind]!).filter(([status]) => fits(Number(status)));
    responses[name].content["application/json"].examples = Object.fromEntries(
      errors.map(([status, value]) => [status, { value }]),
    );
  };
  add("Refused", "data", (status) => status < 500 && status !== 429);
  add("Limited", "data", (status) => status === 429);
  add("Failed", "data", (status) => status >= 500);
  add("OAuthRefused", "oauth", (status) => status < 500);
  add("OAuthFailed", "oauth", (status) => status >= 500);
  for (const [path, item] of Object.entries(paths) as Array<[string, any]>) {
    if (!path.startsWith("/oauth/")) continue;
    const { operationId, responses: answers } = item.post ?? item.get;
    const content = answers[200].content?.["application/json"];
    if (content) content.example = examples[operationId]?.[200];
  }
  return document;
};

if (import.meta.main)
  writeFileSync(new URL("openapi.json", home), `${JSON.stringify(makeDocument(), null, 2)}\n`);
