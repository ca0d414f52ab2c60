/** Leagues and their ladders (§4.2, Leagues). */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint";
import * as HttpApiGroup from "effect/http-api/HttpApiGroup";
import * as OpenApi from "effect/http-api/OpenApi";
import { BearerAuth, RequestErrors } from "../Access.ts";
import { commonErrors } from "../Errors.ts";
import { EventLadderQuery, LadderQuery, LeagueQuery, LeaguesQuery, Name } from "../Requests.ts";
import { EventLadder, Ladder, LeagueList, LeagueResult } from "../Responses.ts";
import { stringMembers, strings } from "../internal/strings.ts";
import { RequiredScopes } from "../Scope.ts";

const params = stringMembers({ league: Name });

/** `/league` */
export class LeaguesGroup
  extends /*#__PURE__*/ HttpApiGroup.make("leagues")
    .add(
      HttpApiEndpoint.get("list", "/league", {
        disableCodecs: true,
        query: strings(LeaguesQuery),
        success: LeagueList,
        error: commonErrors,
      })
        .annotate(RequiredScopes, ["service:leagues"])
        .annotate(OpenApi.Summary, "Leagues of a realm"),
      HttpApiEndpoint.get("get", "/league/:league", {
        disableCodecs: true,
        params,
        query: strings(LeagueQuery),
        success: LeagueResult,
        error: commonErrors,
      })
        .annotate(RequiredScopes, ["service:leagues"])
        .annotate(OpenApi.Summary, "One league, or null"),
      HttpApiEndpoint.get("ladder", "/league/:league/ladder", {
        disableCodecs: true,
        params,
        query: strings(LadderQuery),
        success: Ladder,
        error: commonErrors,
      })
        .annotate(RequiredScopes, ["service:leagues:ladder"])
        .annotate(OpenApi.Summary, "A page of a league's ladder (game 1 only)"),
      HttpApiEndpoint.get("eventLadder", "/league/:league/event-ladder", {
        disableCodecs: true,
        params,
        query: strings(EventLadderQuery),
        success: EventLadder,
        error: commonErrors,
      })
        .annotate(RequiredScopes, ["service:leagues:ladder"])
        .annotate(OpenApi.Summary, "A page of an event's ladder of private leagues (game 1 only)"),
    )
    .middleware(BearerAuth)
    .middleware(RequestErrors) {}
