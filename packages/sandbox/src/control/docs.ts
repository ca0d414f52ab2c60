/**
 * OpenAPI documents and pages to read them: `/docs` for the service, `/docs/control` for the
 * control plane.
 *
 * The service's document comes with Effect, so this module is loaded when somebody first asks for
 * one of them.
 */
import { examples } from "@game-data/contract/examples";
import { openApiDocument } from "@game-data/contract/openapi";
import type { Addresses } from "../Config.ts";
import { json, type ResponseOutput } from "../http/messages.ts";
import { pageHeaders } from "../http/pageHeaders.ts";
import { styleSource } from "../oauth/Html.ts";
import type { Platform } from "../platform/Platform.ts";
import { controlOpenApi } from "./openApi.ts";
import { type OpenApi, referencePage } from "./referencePage.ts";

/** The response to one of the four paths. */
export const document = async (
  path: string,
  addresses: Addresses,
  platform: Platform,
): Promise<ResponseOutput> => {
  const isControl = path.startsWith("/control") || path.endsWith("/control");
  const spec = isControl
    ? controlOpenApi(addresses.controlUrl.replace(/\/control$/u, ""))
    : serviceOpenApi(addresses);
  if (path.endsWith(".json")) return json(spec);
  return {
    status: 200,
    headers: {
      ...pageHeaders(`style-src ${styleSource(platform)}`),
      "cache-control": "no-store",
      "content-type": "text/html; charset=utf-8",
    },
    mayCompress: true,
    body: referencePage(spec as OpenApi, isControl ? "../control/openapi.json" : "openapi.json"),
  };
};

/** The service's document, with the addresses at which it is; the OAuth server has its own. */
const serviceOpenApi = ({ authUrl, baseUrl }: Addresses): object => {
  const spec = openApiDocument({ examples, servers: { authUrl, baseUrl } });
  return {
    ...spec,
    info: {
      ...spec.info,
      title: "Game Data API",
      description: "The OAuth server and the data API, as this sandbox serves them.",
    },
  };
};
