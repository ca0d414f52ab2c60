/**
 * Completes the generated OpenAPI document, as one `OpenApi.Transform`.
 *
 * - Variants: OpenAPI knows neither optional path segments nor patterns. Each variant becomes paths
 *   of its own, with the realm as a parameter. It takes `/character/{realm}` and
 *   `/character/{name}` for the same path: there the realms are spelled out
 *   (`/character/console_a`), and concrete paths come first by its rules.
 * - Parameters: numbers and Booleans instead of the strings that stand for them in a URL.
 * - `additionalProperties: false` is taken out, or generated clients would die of the first new
 *   member.
 * - One component for the one error body, the scopes of each operation, rate-limit headers, and the
 *   two addresses.
 */
import * as Context from "effect/Context";
import * as Schema from "effect/Schema";
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint";
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup";
import type * as OpenApi from "effect/http-api/OpenApi";
import { RateLimitHeaders } from "../RateLimitHeaders.ts";
import { examples } from "./generated/examples.ts";
import { RealmVariantOf } from "./realmVariants.ts";
import { isServiceScope, scopes as allScopes, userScopes } from "../Scope.ts";
import { scopesOf } from "./Security.ts";
import { parseTemplate, type Segment } from "./pathTemplate.ts";

type Spec = OpenApi.OpenAPISpec;
type Operation = OpenApi.OpenAPISpecOperation;
type Json = Record<string, unknown>;

/** A path without optional segments and realm patterns. */
interface ConcretePath {
  readonly segments: ReadonlyArray<Segment>;
  /** The difference from the other paths of its endpoint, for its operationId. */
  readonly suffix: string;
}

const AUTH_DEFAULT = "https://auth.example";

const scopeText = (scope: string): string =>
  `${isServiceScope(scope) ? "For applications" : "Granted by a user"}: ${scope.replace(/^\w+:/u, "").replaceAll(/[_:]/gu, " ")}`;

const ADDRESSES = {
  auth: { url: "{auth_url}", variable: "auth_url", what: "Address of the OAuth server." },
  data: { url: "{base_url}", variable: "base_url", what: "Address of the data API." },
} as const;

/** §5: the flows of the OAuth server, with the scopes that each can grant. */
const OAUTH2: Json = {
  type: "oauth2",
  description: "An access token of the OAuth server (§5).",
  flows: {
    authorizationCode: {
      authorizationUrl: `${AUTH_DEFAULT}/oauth/authorize`,
      tokenUrl: `${AUTH_DEFAULT}/oauth/token`,
      refreshUrl: `${AUTH_DEFAULT}/oauth/token`,
      scopes: Object.fromEntries(userScopes.map((scope) => [scope, scopeText(scope)])),
    },
    clientCredentials: {
      tokenUrl: `${AUTH_DEFAULT}/oauth/token`,
      scopes: Object.fromEntries(
        allScopes.filter(isServiceScope).map((scope) => [scope, scopeText(scope)]),
      ),
    },
  },
};

/** Completes the document that Effect generates for these groups. */
export const completeOpenApi =
  (groups: ReadonlyArray<HttpApiGroup.Constraint>, oauth: HttpApiGroup.Constraint) =>
  (generated: Record<string, unknown>): Record<string, unknown> => {
    const spec = generated as unknown as Spec;
    const paths: Record<string, Json> = {};
    const all = (groups as ReadonlyArray<HttpApiGroup.Top>).flatMap((group) =>
      Object.values(group.endpoints).map((endpoint) => ({ group, endpoint })),
    );
    const templates = Map.groupBy(
      all.flatMap(({ endpoint }) =>
        concretePaths(parseTemplate(endpoint.path)).map((path) => templateOf(endpoint, path)),
      ),
      (template) => template,
    );
    for (const { group, endpoint } of all) {
      const isOAuth = group.identifier === oauth.identifier;
      const operation = generatedOperation(spec, group, endpoint);
      const concrete = concretePaths(parseTemplate(endpoint.path)).flatMap((path) =>
        templates.get(templateOf(endpoint, path))!.length === 1 ? [path] : spelledOut(path),
      );
      for (const { segments, suffix } of concrete) {
        const path = (paths[pathText(segments)] ??= isOAuth ? { servers: [server("auth")] } : {});
        path[endpoint.method.toLowerCase()] = completeOperation(
          operation,
          endpoint,
          `${group.identifier}.${endpoint.identifier}${suffix}`,
          segments,
          isOAuth,
        );
      }
    }
    return withoutClosedObjects({
      ...spec,
      servers: [server("data")],
      paths,
      components: {
        securitySchemes: { oauth2: OAUTH2 },
        schemas: withOneErrorBody(spec),
        headers: rateLimitHeaders,
      },
    }) as Json;
  };

/**
 * Forms with a realm segment are left out of the generated document; they share the operation of
 * the form without.
 */
const generatedOperation = (
  spec: Spec,
  group: HttpApiGroup.Top,
  endpoint: HttpApiEndpoint.Top,
): Operation => {
  const base = group.endpoints[baseName(endpoint)] as HttpApiEndpoint.Top;
  const item = spec.paths[pathText(parseTemplate(base.path))];
  return item![base.method.toLowerCase() as "get"]!;
};

/** The operation that a variant with a realm segment belongs to. */
const baseName = (endpoint: HttpApiEndpoint.Top): string =>
  Context.get(endpoint.annotations, RealmVariantOf)?.of ?? endpoint.identifier;

const concretePaths = (segments: ReadonlyArray<Segment>): ReadonlyArray<ConcretePath> =>
  segments.reduce<ReadonlyArray<ConcretePath>>(
    (paths, segment) =>
      paths.flatMap(({ segments: before, suffix }) => {
        const extended = { segments: [...before, segment], suffix };
        return segment.kind === "param" && segment.optional
          ? [
              { segments: before, suffix },
              { ...extended, suffix: `${suffix}.${segment.name}` },
            ]
          : [extended];
      }),
    [{ segments: [], suffix: "" }],
  );

/** The text by which OpenAPI compares paths: the names of parameters do not count. */
const templateOf = ({ method }: HttpApiEndpoint.Top, { segments }: ConcretePath): string =>
  `${method} ${pathText(segments).replaceAll(/\{\w+\}/gu, "{}")}`;

/** The realms one by one, where a path with the realm as a parameter would be another path too. */
const spelledOut = ({ segments, suffix }: ConcretePath): ReadonlyArray<ConcretePath> => {
  const index = segments.findIndex(
    (segment) =>
      segment.kind === "param" && segment.name === "realm" && segment.words !== undefined,
  );
  const realm = segments[index];
  if (realm?.kind !== "param") return [{ segments, suffix }];
  return realm.words!.map((text) => ({
    segments: segments.with(index, { kind: "literal", text }),
    suffix: `.${text}${suffix}`,
  }));
};

const pathText = (segments: ReadonlyArray<Segment>) =>
  segments
    .map((segment) => (segment.kind === "literal" ? `/${segment.text}` : `/{${segment.name}}`))
    .join("");

const completeOperation = (
  operation: Operation,
  endpoint: HttpApiEndpoint.Top,
  operationId: string,
  segments: ReadonlyArray<Segment>,
  isOAuth: boolean,
): Json => {
  const scopes = scopesOf(endpoint);
  const [group] = operationId.split(".");
  const exampleOf = examplesOf(`${group}.${baseName(endpoint)}`, isOAuth);
  return {
    ...operation,
    operationId,
    parameters: [
      ...segments.filter((segment) => segment.kind === "param").map(pathParameter(endpoint)),
      ...operation.parameters
        .filter(({ in: place }) => place === "query")
        .map((parameter) => ({
          ...parameter,
          schema: propertiesOf(endpoint.query)[parameter.name] ?? parameter.schema,
        })),
    ],
    security: scopes.length === 0 ? [] : [{ oauth2: scopes }],
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, response]) => [
        status,
        withExample(
          isOAuth ? { ...response } : completeResponse(Number(status), response),
          exampleOf(status),
        ),
      ]),
    ),
  };
};

/** The example of a status: a response of the sandbox to this operation, or of its server. */
const examplesOf =
  (operation: string, isOAuth: boolean) =>
  (status: string): unknown =>
    examples[operation]?.[status] ?? examples[isOAuth ? "oauth" : "data"]?.[status];

/** Bodies that are no JSON have no example. */
const withExample = (response: Json, example: unknown): Json => {
  const content = response["content"] as Readonly<Record<string, Json>> | undefined;
  const json = content?.["application/json"];
  if (json === undefined || example === undefined) return response;
  return { ...response, content: { ...content, "application/json": { ...json, example } } };
};

const pathParameter =
  (endpoint: HttpApiEndpoint.Top) =>
  (segment: Segment & { readonly kind: "param" }): Json => ({
    name: segment.name,
    in: "path",
    required: true,
    schema:
      segment.words === undefined
        ? propertiesOf(endpoint.params)[segment.name]
        : { type: "string", enum: segment.words },
  });

/** The members of a query or of path parameters, as the values that they are. */
const propertiesOf = (schema: Schema.Top | undefined): Json =>
  schema === undefined
    ? {}
    : ((Schema.toJsonSchemaDocument(Schema.toType(schema)).schema["properties"] as Json) ?? {});

const completeResponse = (status: number, response: OpenApi.OpenApiSpecResponse): Json => ({
  ...response,
  headers: {
    ...headersOf(["rateLimitPolicy", "rateLimitRules"]),
    ...RULES.reduce<Json>(
      (headers, rule) => ({
        ...headers,
        [RateLimitHeaders.rule(rule)]: { $ref: "#/components/headers/rateLimitRule" },
        [RateLimitHeaders.state(rule)]: { $ref: "#/components/headers/rateLimitState" },
      }),
      {},
    ),
    ...(status === 429 || status === 503 ? headersOf(["retryAfter"]) : {}),
  },
  ...(status < 400
    ? {}
    : { content: { "application/json": { schema: { $ref: "#/components/schemas/ErrorBody" } } } }),
});

/** The rules that the deployed service is known to name; a response has those of its policy. */
const RULES = ["account", "client", "ip"];

const HEADER_NAMES = {
  rateLimitPolicy: RateLimitHeaders.policy,
  rateLimitRules: RateLimitHeaders.rules,
  retryAfter: RateLimitHeaders.retryAfter,
} as const;

const headersOf = (keys: ReadonlyArray<keyof typeof HEADER_NAMES>): Json =>
  Object.fromEntries(
    keys.map((key) => [HEADER_NAMES[key], { $ref: `#/components/headers/${key}` }]),
  );

const rateLimitHeaders: Json = {
  rateLimitPolicy: {
    description: "Name of the rate-limit policy. Endpoints that name the same one share a counter.",
    schema: { type: "string" },
  },
  rateLimitRules: {
    description: `Comma list of the policy's rules. The windows of a rule stand in ${RateLimitHeaders.rule("{rule}")}, what is used up of them in ${RateLimitHeaders.state("{rule}")}.`,
    schema: { type: "string" },
  },
  rateLimitRule: {
    description: "The windows of the rule: a comma list of maxHits:periodSeconds:restrictSeconds.",
    schema: { type: "string" },
  },
  rateLimitState: {
    description:
      "What is used up of them: a comma list of currentHits:periodSeconds:activeRestrictSeconds.",
    schema: { type: "string" },
  },
  retryAfter: {
    description: "Seconds to wait before the next request.",
    schema: { type: "integer", minimum: 0 },
  },
};

/**
 * The error classes differ in their status alone. A document of the OAuth server has none of them.
 */
const withOneErrorBody = ({ components: { schemas } }: Spec): Json => ({
  ...Object.fromEntries(Object.entries(schemas).filter(([name]) => !name.endsWith("ErrorEncoded"))),
  ...("ErrorObject" in schemas ? { ErrorBody: ERROR_BODY } : {}),
});

const ERROR_BODY = {
  type: "object",
  properties: { error: { $ref: "#/components/schemas/ErrorObject" } },
  required: ["error"],
};

const server = (address: keyof typeof ADDRESSES): Json => {
  const { url, variable, what } = ADDRESSES[address];
  return {
    url,
    variables: { [variable]: { default: `https://${address}.example`, description: what } },
  };
};

const withoutClosedObjects = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutClosedObjects);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, member]) => !(key === "additionalProperties" && member === false))
      .map(([key, member]) => [key, withoutClosedObjects(member)]),
  );
};
