/**
 * The stash tabs of the account's guild (§4.2, Guild stashes); game 1 only.
 *
 * The specification names no scope for them. They are stash tabs that the account can see, so we
 * ask for `account:stashes`.
 */
import * as Schema from "effect/Schema";
import * as HttpApiGroup from "effect/http-api/HttpApiGroup";
import { BearerAuth, RequestErrors } from "../Access.ts";
import { realmVariants } from "../internal/realmVariants.ts";
import { consoleRealms, Name, StashId } from "../Requests.ts";
import { StashList, StashResult } from "../Responses.ts";
import { RequiredScopes } from "../Scope.ts";

/**
 * `/guild[/<realm>]/stash/<league>` and
 * `/guild[/<realm>]/stash/<league>/<stash_id>[/<substash_id>]`
 */
export class GuildStashesGroup
  extends /*#__PURE__*/ HttpApiGroup.make("guildStashes")
    .add(
      ...realmVariants({
        name: "list",
        before: "/guild",
        after: "/stash/:league",
        realms: consoleRealms,
        params: { league: Name },
        success: StashList,
        summary: "The guild's tabs that the account can access in a league",
      }),
      ...realmVariants({
        name: "get",
        before: "/guild",
        after: "/stash/:league/:stash_id/:substash_id?",
        realms: consoleRealms,
        params: { league: Name, stash_id: StashId, substash_id: Schema.optionalKey(StashId) },
        success: StashResult,
        summary:
          "One tab of the guild with its items, or null; a sub-tab comes wrapped by its parent",
      }),
    )
    .annotateEndpoints(RequiredScopes, ["account:stashes"])
    .middleware(BearerAuth)
    .middleware(RequestErrors) {}
