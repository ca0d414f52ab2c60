/**
 * What the generated OpenAPI document needs before it is right, as one `OpenApi.Transform`.
 *
 * - Forms: OpenAPI knows neither optional path segments nor patterns, and takes
 *   `/character/{realm}` and `/character/{name}` for the same path. Each form becomes paths of its
 *   own, with realm words spelled out (`/character/console_a`); concrete paths come first by its
 *   rules.
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

import { RealmVariantOf } from "./realmVariants.ts";
import { scopesOf } from "./Security.ts";
import { parseTemplate, type Segment } from "./pathTemplate.ts";

type Spec = OpenApi.OpenAPISpec;
type Operation = OpenApi.OpenAPISpecOperation;
type Json = Record<string, unknown>;

/** A path without optional segments and realm patterns. */
interface ConcretePath {
  readonly segments: ReadonlyArray<Segment>;
  /** What tells it from the other paths of its endpoint, for its operationId. */
  readonly suffix: string;
}

const ADDRESSES = {
  auth: { url: "{auth_url}", variable: "auth_url", what: "Address of the OAuth server." },
  data: { url: "{base_url}", variable: "base_url", what: "Address of the data API." },
} as const;

/**
 * §5. The scheme of the data groups' middleware, and of the two OAuth endpoints that need a token.
 */
const BEARER = { type: "http", scheme: "Bearer", description: "An access token (§5)." };

/** Completes the document that Effect generates for these groups. */
export const completeOpenApi =
  (groups: ReadonlyArray<HttpApiGroup.Constraint>, oauth: HttpApiGroup.Constraint) =>
  (generated: Record<string, unknown>): Record<string, unknown> => {
    const spec = generated as unknown as Spec;
    const paths: Record<string, Json> = {};
    for (const group of groups as ReadonlyArray<HttpApiGroup.Top>) {
      const isOAuth = group.identifier === oauth.identifier;
      for (const endpoint of Object.values(group.endpoints)) {
        const operation = generatedOperation(spec, group, endpoint);
        for (const concrete of concretePaths(parseTemplate(endpoint.path))) {
          const path = (paths[pathText(concrete.segments)] ??= isOAuth
            ? { servers: [server("auth")] }
            : {});
          path[endpoint.method.toLowerCase()] = completeOperation(
            operation,
            endpoint,
            `${group.identifier}.${endpoint.identifier}${concrete.suffix}`,
            concrete.segments,
            isOAuth,
          );
        }
      }
    }
    return withoutClosedObjects({
      ...spec,
      servers: [server("data")],
      paths,
      components: {
        securitySchemes: { bearer: BEARER },
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
  const name = Context.get(endpoint.annotations, RealmVariantOf)?.of ?? endpoint.identifier;
  const base = group.endpoints[name] as HttpApiEndpoint.Top;
  const item = spec.paths[pathText(parseTemplate(base.path))];
  return item![base.method.toLowerCase() as "get"]!;
};

const concretePaths = (segments: ReadonlyArray<Segment>): ReadonlyArray<ConcretePath> =>
  segments.reduce<ReadonlyArray<ConcretePath>>(
    (paths, segment) =>
      paths.flatMap(({ segments: before, suffix }) => {
        if (segment.kind === "param" && segment.name === "realm" && segment.words !== undefined)
          return segment.words.map((text) => ({
            segments: [...before, { kind: "literal", text } as const],
            suffix: `${suffix}.${text}`,
          }));
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
    security: scopes.length === 0 ? [] : [{ bearer: scopes }],
    responses: isOAuth
      ? operation.responses
      : Object.fromEntries(
          Object.entries(operation.responses).map(([status, response]) => [
            status,
            completeResponse(Number(status), response),
          ]),
        ),
  };
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
    ...(status === 429 || status === 503 ? headersOf(["retryAfter"]) : {}),
  },
  ...(status < 400
    ? {}
    : { content: { "application/json": { schema: { $ref: "#/components/schemas/ErrorBody" } } } }),
});

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
