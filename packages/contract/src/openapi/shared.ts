/** What several operations of the OpenAPI document share: errors, headers, addresses, security. */
import type { Json } from "@game-data/schemas/JsonSchema";
import { type ErrorName, errors, errorText } from "../ErrorCode.ts";
import { operationTexts } from "./generated/texts.ts";
import { RateLimitHeaders } from "../RateLimitHeaders.ts";
import { oauthRoutes, type RouteName, routes } from "../routes/table.ts";
import { isServiceScope, scopes, userScopes } from "../Scope.ts";

/** Responses by status, by operation; `data` and `oauth` have those of errors. */
export type Examples = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The tag, the id and the texts of an operation. */
export const about = (name: RouteName | keyof typeof oauthRoutes, operationId: string): Json => ({
  tags: [name.split(".")[0]],
  operationId,
  summary: { ...operationTexts, ...OAUTH_TEXTS }[name],
  // The name of the operation in errors, metrics and rate limits.
  description: `\`${{ ...routes, ...oauthRoutes }[name].route}\``,
});

const OAUTH_TEXTS: { readonly [Name in keyof typeof oauthRoutes]: string } = {
  "oauth.authorize": "The user consent page, for a browser",
  "oauth.token": "Create tokens",
  "oauth.revoke": "Revoke a token (RFC 7009)",
  "oauth.introspect": "Check a token (RFC 7662)",
};

/** A JSON body. */
export const json = (schema: Json, examples: Json = {}): Json => ({
  "application/json": { schema, ...examples },
});

/** A JSON body of a request. */
export const jsonBody = (schema: Json): Json => ({ required: true, content: json(schema) });

/** A shared response. */
export const response = (name: string): Json => ({ $ref: `#/components/responses/${name}` });

/** The errors of every data operation. */
export const DATA_ERRORS = {
  "4XX": response("Refused"),
  429: response("Limited"),
  "5XX": response("Failed"),
};

/** The errors of both servers; one named example for each status. */
export const errorResponses = (examples: Examples): Record<string, Json> => {
  const body = (
    schema: string,
    kind: "data" | "oauth",
    fits: (status: number) => boolean,
  ): Json => {
    const found = Object.entries(examples[kind] ?? {}).filter(([status]) => fits(Number(status)));
    const named = found.map(([status, value]) => [status, { value }]);
    return json(
      { $ref: `#/components/schemas/${schema}` },
      named.length === 0 ? {} : { examples: Object.fromEntries(named) as Json },
    );
  };
  const limits = headers("rateLimitPolicy", "rateLimitRules");
  return {
    Refused: {
      description: `Decide on the code. ${textsOf(isClient)}.`,
      headers: limits,
      content: body("ErrorBody", "data", isClient),
    },
    Limited: {
      description: "Too many requests: wait for as long as Retry-After says.",
      headers: { ...limits, ...headers("retryAfter") },
      content: body("ErrorBody", "data", (status) => status === 429),
    },
    Failed: {
      description: `The service failed. ${textsOf((status) => status >= 500)}.`,
      headers: headers("retryAfter"),
      content: body("ErrorBody", "data", (status) => status >= 500),
    },
    OAuthRefused: {
      description: "Decide on the member error (RFC 6749 §5.2).",
      content: body("OAuthErrorBody", "oauth", (status) => status < 500),
    },
    OAuthFailed: {
      description: "The server failed.",
      content: body("OAuthErrorBody", "oauth", (status) => status >= 500),
    },
  };
};

const isClient = (status: number) => status < 500 && status !== 429;

const textsOf = (fits: (status: number) => boolean): string =>
  (Object.keys(errors) as Array<ErrorName>)
    .filter((name) => errors[name].status >= 400 && fits(errors[name].status))
    .map((name) => `${errorText(name)} (${errors[name].status}, code ${errors[name].code})`)
    .join(", ");

/** The headers of responses. */
export const HEADERS = {
  rateLimitPolicy: {
    description: "Rate-limit policy. Endpoints that name the same one share a counter.",
    schema: { type: "string" },
  },
  rateLimitRules: {
    description: `Comma list of rules. The windows of a rule stand in ${RateLimitHeaders.rule("{rule}")}, a comma list of maxHits:periodSeconds:restrictSeconds; what is used up of them in ${RateLimitHeaders.state("{rule}")}, in the same order.`,
    schema: { type: "string" },
  },
  retryAfter: {
    description: "Seconds to wait before the next request.",
    schema: { type: "integer", minimum: 0 },
  },
} as const;

const HEADER_NAMES = {
  rateLimitPolicy: RateLimitHeaders.policy,
  rateLimitRules: RateLimitHeaders.rules,
  retryAfter: RateLimitHeaders.retryAfter,
} as const;

/** References to headers. */
export const headers = (...keys: ReadonlyArray<keyof typeof HEADERS>): Json =>
  Object.fromEntries(
    keys.map((key) => [HEADER_NAMES[key], { $ref: `#/components/headers/${key}` }]),
  );

const ADDRESSES = {
  auth: ["auth_url", "Address of the OAuth server."],
  data: ["base_url", "Address of the data API."],
} as const;

/** The addresses of a deployment. */
export interface Servers {
  readonly authUrl: string;
  readonly baseUrl: string;
}

const withoutSlash = (url: string): string => url.replace(/\/$/u, "");

/** One of the two addresses: the deployment's own, or a variable. */
export const server = (address: keyof typeof ADDRESSES, own?: string): Json => {
  if (own !== undefined) return { url: withoutSlash(own) };
  const [variable, description] = ADDRESSES[address];
  const variables = { [variable]: { default: `https://${address}.example`, description } };
  return { url: `{${variable}}`, variables };
};

/** The flow says who grants them: a user, or the application itself. */
const scopesOf = (names: ReadonlyArray<string>): Json =>
  Object.fromEntries(
    names.map((scope) => [scope, scope.replace(/^\w+:/u, "").replaceAll(/[_:]/gu, " ")]),
  );

/** §5: the flows of the OAuth server, with the scopes that each can grant. */
export const oauth2Of = (authUrl = "https://auth.example"): Json => ({
  type: "oauth2",
  description: "An access token of the OAuth server (§5).",
  flows: {
    authorizationCode: {
      authorizationUrl: `${withoutSlash(authUrl)}${oauthRoutes["oauth.authorize"].path}`,
      tokenUrl: `${withoutSlash(authUrl)}${oauthRoutes["oauth.token"].path}`,
      refreshUrl: `${withoutSlash(authUrl)}${oauthRoutes["oauth.token"].path}`,
      scopes: scopesOf(userScopes),
    },
    clientCredentials: {
      tokenUrl: `${withoutSlash(authUrl)}${oauthRoutes["oauth.token"].path}`,
      scopes: scopesOf(scopes.filter(isServiceScope)),
    },
  },
});
