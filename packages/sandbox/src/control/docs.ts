/**
 * OpenAPI documents: `/openapi.json` of the service, `/control/openapi.json` of the control plane,
 * from its routes.
 *
 * The service's document is large, so this module is loaded at the first request for one of them.
 */
import openApiDocument from "@game-data/contract/openapi.json" with { type: "json" };
import type { Addresses } from "../Config.ts";
import { json, type ResponseOutput } from "../http/messages.ts";
import * as Schema from "effect/Schema";
import type { ControlRoute } from "./Route.ts";
import { controlRoutes } from "./routes.ts";

export const document = async (path: string, addresses: Addresses): Promise<ResponseOutput> =>
  json(
    path.startsWith("/control/")
      ? controlOpenApi(addresses.controlUrl.replace(/\/control$/u, ""))
      : serviceOpenApi(addresses),
  );

/** The service's document with the addresses of this sandbox; the OAuth server has its own. */
const serviceOpenApi = ({ authUrl, baseUrl }: Addresses): object => {
  const { info, paths, ...rest } = JSON.parse(
    JSON.stringify(openApiDocument).replaceAll("https://auth.example", authUrl),
  ) as typeof openApiDocument;
  return {
    ...rest,
    info: {
      ...info,
      description: "The OAuth server and the data API, as this sandbox serves them.",
    },
    servers: [{ url: baseUrl }],
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, item]) => [
        path,
        "servers" in item ? { ...item, servers: [{ url: authUrl }] } : item,
      ]),
    ),
  };
};

const controlOpenApi = (url: string): object => {
  const components: Components = {};
  return {
    openapi: "3.1.0",
    info: {
      title: "Game Data sandbox: control plane",
      version: "1",
      description:
        "Clock, faults, rate policies, journal and state of a running sandbox. For development and tests only.",
    },
    servers: [{ url }],
    paths: Object.fromEntries(
      [...Map.groupBy(controlRoutes, ({ path }) => path)].map(([path, routes]) => [
        `/control${path}`,
        Object.fromEntries(
          routes.map((one) => [one.method.toLowerCase(), operationOf(one, components)]),
        ),
      ]),
    ),
    components: { schemas: components },
  };
};

/** The body of a schema; its parts that have names are added to the components. */
const jsonContent = (schema: Schema.Top, components: Components) => {
  const { definitions, schema: own } = Schema.toJsonSchemaDocument(schema);
  for (const [name, part] of Object.entries(definitions)) components[name] = moved(part);
  return { content: { "application/json": { schema: moved(own) } } };
};

const moved = (part: object): object =>
  JSON.parse(JSON.stringify(part).replaceAll("#/$defs/", "#/components/schemas/")) as object;

type Components = Record<string, object>;

const REJECTED = Schema.Struct({
  reason: Schema.String,
  issues: Schema.optionalKey(Schema.Array(Schema.Unknown)),
});

const operationOf = (route: ControlRoute, components: Components) => {
  const { body, path, query = {}, result = Schema.Unknown, status = 200, summary, tag } = route;
  const hasContent = status !== 204 && !path.endsWith("/stream");
  return {
    tags: [tag],
    summary,
    parameters: [
      ...[...path.matchAll(/\{(\w+)\}/gu)].map(([, name]) => ({
        name,
        in: "path",
        required: true,
        schema: { type: "string" },
      })),
      ...Object.entries(query).map(([name, type]) => ({ name, in: "query", schema: { type } })),
    ],
    ...(body !== undefined && {
      requestBody: { required: true, ...jsonContent(body, components) },
    }),
    responses: {
      [status]: {
        description: "Success",
        ...(hasContent && jsonContent(result, components)),
      },
      ...(body !== undefined && {
        400: { description: "The document does not fit", ...jsonContent(REJECTED, components) },
      }),
    },
  };
};
