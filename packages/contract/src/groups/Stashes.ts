/** The account's stash tabs (§4.2, Stashes); game 1 only. */
import * as Schema from "effect/Schema";
import * as HttpApiGroup from "effect/http-api/HttpApiGroup";
import { BearerAuth, RequestErrors } from "../Access.ts";
import { ambiguousRealmVariants, realmVariants } from "../internal/realmVariants.ts";
import { consoleRealms, Name, StashId } from "../Requests.ts";
import { StashList, StashResult } from "../Responses.ts";
import { RequiredScopes } from "../Scope.ts";

/** `/stash[/<realm>]/<league>` and `/stash[/<realm>]/<league>/<stash_id>[/<substash_id>]` */
export class StashesGroup
  extends /*#__PURE__*/ HttpApiGroup.make("stashes")
    .add(
      ...realmVariants({
        name: "list",
        before: "/stash",
        after: "/:league",
        realms: consoleRealms,
        params: { league: Name },
        success: StashList,
        summary: "All tabs in a league, sub-tabs and tabs in folders included, without items",
      }),
      ...ambiguousRealmVariants({
        name: "get",
        before: "/stash",
        first: "league",
        after: "/:stash_id/:substash_id?",
        realms: consoleRealms,
        params: { league: Name, stash_id: StashId, substash_id: Schema.optionalKey(StashId) },
        success: StashResult,
        summary: "One tab with its items, or null; a sub-tab comes wrapped by its parent",
      }),
    )
    .annotateEndpoints(RequiredScopes, ["account:stashes"])
    .middleware(BearerAuth)
    .middleware(RequestErrors) {}
