/** The account's atlas passives in a league (§4.2, League account); game 1 only. */
import * as HttpApiGroup from "effect/http-api/HttpApiGroup";
import { BearerAuth, RequestErrors } from "../Access.ts";
import { realmVariants } from "../internal/realmVariants.ts";
import { consoleRealms, Name } from "../Requests.ts";
import { LeagueAccountResult } from "../Responses.ts";
import { RequiredScopes } from "../Scope.ts";

/** `/league-account[/<realm>]/<league>` */
export class LeagueAccountsGroup
  extends /*#__PURE__*/ HttpApiGroup.make("leagueAccounts")
    .add(
      ...realmVariants({
        name: "get",
        before: "/league-account",
        after: "/:league",
        realms: consoleRealms,
        params: { league: Name },
        success: LeagueAccountResult,
        summary: "The account's allocated atlas passives in a league",
      }),
    )
    .annotateEndpoints(RequiredScopes, ["account:league_accounts"])
    .middleware(BearerAuth)
    .middleware(RequestErrors) {}
