/**
 * OpenAPI documents: `/openapi.json` of the service, `/control/openapi.json` of the control plane,
 * from its table.
 *
 * The service's document is large, so this module is loaded at the first request for one of them.
 */
import openApiDocument from "@game-data/contract/openapi.json" with { type: "json" };
import * as OpenApi from "effect/http-api/OpenApi";
import type { Addresses } from "../Options.ts";
import { ControlApi } from "./Api.ts";

export const document = (path: string, addresses: Addresses): object =>
  path.startsWith("/control/")
    ? { ...OpenApi.fromApi(ControlApi), servers: [{ url: new URL(addresses.controlUrl).origin }] }
    : serviceOpenApi(addresses);

/** Returns the service's document with the addresses of this sandbox. */
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
