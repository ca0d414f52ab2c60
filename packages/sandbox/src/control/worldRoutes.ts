/**
 * A view of the world for people and tests: any GET of the data API as any account, without a
 * token, a rate limit, a fault or an entry in the journal.
 */
import { pathOf } from "../http/messages.ts";
import { Router } from "../http/Router.ts";
import { noFacts } from "../journal/Journal.ts";
import { uuidOf } from "./names.ts";
import { notFound, type Plane, rejected, routesOf, Sent } from "./Route.ts";

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
    request: {
      method: "GET",
      url,
      header: () => undefined,
      body: new Uint8Array(),
      ip: "",
      connection: "control",
      hasSocket: false,
      listener: "data",
    },
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

const route = routesOf("world");

export const worldRoutes = [
  route(
    "GET /world",
    "Any GET of the data API as an account, without token, limits, faults and journal",
    { query: { path: "string", account: "string" } },
    (plane, { query: { account, path } }) =>
      look(plane, path as string | undefined, account as string | undefined),
  ),
  route(
    "GET /replay",
    "How many recorded answers are served, which files are left out and why, and what was not recorded",
    {},
    ({ core: { parts } }) => ({
      served: parts.replay?.served ?? 0,
      leftOut: parts.replay?.leftOut ?? [],
      unrecorded: parts.replay?.unrecorded() ?? {},
    }),
  ),
];
