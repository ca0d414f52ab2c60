/**
 * OpenAPI documents: `/openapi.json` of the service, `/control/openapi.json` of the control plane.
 *
 * The service's document comes with Effect, so this module is loaded when somebody first asks for
 * one of them.
 */
import { examples } from "@game-data/contract/examples";
import { openApiDocument } from "@game-data/contract/openapi";
import type { Addresses } from "../Config.ts";
import { json, type ResponseOutput } from "../http/messages.ts";
import { controlOpenApi } from "./openApi.ts";

/** The response to one of the two paths. */
export const document = async (path: string, addresses: Addresses): Promise<ResponseOutput> =>
  json(
    path.startsWith("/control/")
      ? controlOpenApi(addresses.controlUrl.replace(/\/control$/u, ""))
      : serviceOpenApi(addresses),
  );

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
