/**
 * A view of the world for people and tests: any GET of the data API as any account, without a
 * token, a rate limit, a fault or an entry in the journal.
 */
import type { Core } from "../Core.ts";
import type { DataPart } from "../data/DataPart.ts";
import { controlError } from "../http/fallbacks.ts";
import { json, pathOf, queryOf, withHeaders } from "../http/messages.ts";
import { Router } from "../http/Router.ts";
import { noFacts } from "../journal/JournalEntry.ts";
import { uuidOf } from "./editing.ts";
import { type ControlHandler, type ControlRoute, rejected, rejectName, route } from "./requests.ts";

/** Routes of the view. */
export const worldRoutes = (core: Core, data: DataPart): ReadonlyArray<ControlRoute> => {
  const router = new Router(data.routes);
  const { accounts } = core;

  const look: ControlHandler = (request) => {
    const search = new URLSearchParams(queryOf(request.url));
    for (const name of search.keys())
      if (name !== "path" && name !== "account")
        rejectName(`?${name}`, "parameter", name, ["path", "account"]);
    const url =
      search.get("path") ?? rejected("name a path of the data API: ?path=/league", "?path");
    const wanted = search.get("account") ?? accounts.all[0]!.name;
    const account = accounts.byUuid(uuidOf(accounts, wanted, "?account"))!;
    const found = router.find("GET", pathOf(url));
    if (found === undefined) return controlError(`the data API has no GET ${pathOf(url)}`, 404);
    const response = found.route.handle({
      request: { ...request, url, method: "GET", header: () => undefined, listener: "data" },
      now: core.clock.now(),
      params: found.params,
      credentials: {
        isBearer: true,
        tokenHash: undefined,
        identity: {
          grantId: "",
          tokenHash: "",
          clientId: "",
          kind: "confidential",
          grantType: "authorization_code",
          sub: account.uuid,
          username: account.name,
          scopes: found.route.scopes ?? [],
        },
      },
      facts: noFacts(),
    });
    return withHeaders(response, { "cache-control": "no-store" });
  };

  const { replay } = core.parts;
  return [
    route("GET", "/control/world", look),
    route("GET", "/control/replay", () =>
      json({
        served: replay?.served ?? 0,
        leftOut: replay?.leftOut ?? [],
        unrecorded: replay?.unrecorded() ?? {},
      }),
    ),
  ];
};
