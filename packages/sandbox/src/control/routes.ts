/** Every route of the control plane, and the view of the world. */
import { pathOf } from "../http/messages.ts";
import { Router } from "../http/Router.ts";
import { noFacts } from "../journal/Journal.ts";
import { accessRoutes } from "./accessRoutes.ts";
import { journalRoutes } from "./journalRoutes.ts";
import {
  type ControlRoute,
  INTERNAL,
  notFound,
  type Plane,
  rejected,
  routesOf,
  Sent,
} from "./Route.ts";
import { uuidOf } from "./names.ts";
import { scenarioRoutes } from "./scenarios.ts";
import { stateRoutes } from "./stateRoutes.ts";
import { trafficRoutes } from "./trafficRoutes.ts";

const route = routesOf("health");
const worldRoute = routesOf("world");

/**
 * A view of the world for people and tests: any GET of the data API as any account, without a
 * token, a rate limit, a fault or an entry in the journal.
 */
const look = (
  { core, data }: Plane,
  url: string | undefined,
  wanted = core.accounts.all[0]!.name,
): Sent => {
  if (url === undefined) return rejected("name a path of the data API: ?path=/league", "?path");
  const account = core.accounts.byUuid(uuidOf(core.accounts, wanted, "?account"))!;
  const { params, route: found } =
    new Router(data.routes).find("GET", pathOf(url)) ??
    notFound(`the data API has no GET ${pathOf(url)}`);
  const response = found.handle({
    request: { ...INTERNAL, method: "GET", url, listener: "data" },
    now: core.clock.now(),
    params,
    credentials: {
      isBearer: true,
      tokenHash: undefined,
      identity: {
        clientId: "",
        kind: "confidential",
        grantType: "authorization_code",
        sub: account.uuid,
        username: account.name,
        scopes: found.scopes ?? [],
      },
    },
    facts: noFacts(),
  });
  return new Sent(response);
};

const worldRoutes = [
  worldRoute(
    "GET /world",
    "Any GET of the data API as an account, without token, limits, faults and journal",
    { query: { path: "string", account: "string" } },
    (plane, { query: { account, path } }) =>
      look(plane, path as string | undefined, account as string | undefined),
  ),
];

/** Every route, in the order of the documentation. */
export const controlRoutes: ReadonlyArray<ControlRoute> = [
  ...stateRoutes,
  ...trafficRoutes,
  ...scenarioRoutes,
  ...worldRoutes,
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
