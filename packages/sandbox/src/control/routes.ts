/** Every route of the control plane, and the view of the world. */
import * as Effect from "effect/Effect";
import * as Respondable from "effect/http/HttpServerRespondable";
import { splitUrl } from "../http/Exchange.ts";
import { empty } from "../http/messages.ts";
import { findEndpoint } from "../http/routes.ts";
import { noFacts } from "../journal/entry.ts";
import { accessRoutes } from "./accessRoutes.ts";
import { journalRoutes } from "./journalRoutes.ts";
import { type ControlRoute, notFound, type Plane, rejected, routesOf, Sent } from "./Route.ts";
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
  { core, service }: Plane,
  url: string | undefined,
  wanted = core.accounts.all[0]!.name,
): Sent => {
  if (url === undefined) return rejected("name a path of the data API: ?path=/league", "?path");
  const account = core.accounts.byUuid(uuidOf(core.accounts, wanted, "?account"))!;
  const [path, query] = splitUrl(url);
  const found = findEndpoint("data", "GET", path) ?? notFound(`the data API has no GET ${path}`);
  const identity = {
    clientId: "",
    kind: "confidential",
    grantType: "authorization_code",
    sub: account.uuid,
    username: account.name,
    scopes: found.scopes,
  } as const;
  const answer = service.answerData({
    listener: "data",
    method: "GET",
    path,
    query,
    headers: {},
    body: new Uint8Array(),
    connection: { id: "control", ip: "" },
    match: found,
    now: core.clock.now(),
    credentials: { isBearer: true, tokenHash: undefined, identity },
    facts: noFacts(),
  });
  const deferred = Effect.runPromise(answer.pipe(Effect.catch(Respondable.toResponse))).then(
    ({ body, headers, status }) => ({
      status,
      headers: { "content-type": headers["content-type"]! },
      body: body._tag === "Uint8Array" ? (body.text ?? new TextDecoder().decode(body.body)) : "",
    }),
  );
  return new Sent({ ...empty(200), deferred });
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
