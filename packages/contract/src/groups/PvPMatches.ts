/** PvP matches and their ladders (§4.2, PvP matches); game 1 only. */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint";
import * as HttpApiGroup from "effect/http-api/HttpApiGroup";
import * as OpenApi from "effect/http-api/OpenApi";
import { BearerAuth, RequestErrors } from "../Access.ts";
import { commonErrors } from "../Errors.ts";
import { MatchesQuery, MatchLadderQuery, MatchQuery, Name } from "../Requests.ts";
import { MatchLadder, MatchList, MatchResult } from "../Responses.ts";
import { stringMembers, strings } from "../internal/strings.ts";
import { RequiredScopes } from "../Scope.ts";

const params = stringMembers({ match: Name });

/** `/pvp-match` */
export class PvPMatchesGroup
  extends /*#__PURE__*/ HttpApiGroup.make("pvpMatches")
    .add(
      HttpApiEndpoint.get("list", "/pvp-match", {
        disableCodecs: true,
        query: strings(MatchesQuery),
        success: MatchList,
        error: commonErrors,
      })
        .annotate(RequiredScopes, ["service:pvp_matches"])
        .annotate(OpenApi.Summary, "PvP matches of a realm"),
      HttpApiEndpoint.get("get", "/pvp-match/:match", {
        disableCodecs: true,
        params,
        query: strings(MatchQuery),
        success: MatchResult,
        error: commonErrors,
      })
        .annotate(RequiredScopes, ["service:pvp_matches"])
        .annotate(OpenApi.Summary, "One PvP match, or null"),
      HttpApiEndpoint.get("ladder", "/pvp-match/:match/ladder", {
        disableCodecs: true,
        params,
        query: strings(MatchLadderQuery),
        success: MatchLadder,
        error: commonErrors,
      })
        .annotate(RequiredScopes, ["service:pvp_matches:ladder"])
        .annotate(OpenApi.Summary, "A page of a PvP match's ladder of teams"),
    )
    .middleware(BearerAuth)
    .middleware(RequestErrors) {}
