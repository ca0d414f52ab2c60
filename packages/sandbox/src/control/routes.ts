/** Every route of the control plane. */
import { accessRoutes } from "./accessRoutes.ts";
import { editRoutes } from "./editRoutes.ts";
import { journalRoutes } from "./journalRoutes.ts";
import { type ControlRoute, routesOf } from "./Route.ts";
import { scenarioRoutes } from "./scenarios.ts";
import { stateRoutes } from "./stateRoutes.ts";
import { trafficRoutes } from "./trafficRoutes.ts";
import { worldRoutes } from "./worldRoutes.ts";

const route = routesOf("health");

/** Every route, in the order of the documentation. */
export const controlRoutes: ReadonlyArray<ControlRoute> = [
  ...stateRoutes,
  ...trafficRoutes,
  ...scenarioRoutes,
  ...worldRoutes,
  ...editRoutes,
  ...journalRoutes,
  ...accessRoutes,
  route("GET /ready", "Whether requests are answered, and where", {}, ({ core }) => {
    const { authUrl, baseUrl, controlUrl, seed } = core.config;
    return { ready: true, seed, authUrl, baseUrl, controlUrl };
  }),
  route("GET /health", "Whether the process lives; needs no control key", {}, () => ({
    status: "ok",
  })),
];
