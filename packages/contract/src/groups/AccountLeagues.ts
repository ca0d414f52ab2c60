/** The account's current leagues, private ones included (§4.2, Account leagues); game 1 only. */
import * as Schema from "effect/Schema";
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint";
import * as HttpApiGroup from "effect/http-api/HttpApiGroup";
import * as OpenApi from "effect/http-api/OpenApi";
import { BearerAuth, RequestErrors } from "../Access.ts";
import { commonErrors } from "../Errors.ts";
import { consoleRealms } from "../Requests.ts";
import { LeagueList } from "../Responses.ts";
import { stringMembers } from "../internal/strings.ts";
import { RequiredScopes } from "../Scope.ts";

/** `/account/leagues[/<realm>]` */
export class AccountLeaguesGroup
  extends /*#__PURE__*/ HttpApiGroup.make("accountLeagues")
    .add(
      HttpApiEndpoint.get("list", "/account/leagues/:realm?", {
        disableCodecs: true,
        params: stringMembers({ realm: Schema.optionalKey(Schema.Literals(consoleRealms)) }),
        success: LeagueList,
        error: commonErrors,
      })
        .annotate(RequiredScopes, ["account:leagues"])
        .annotate(OpenApi.Summary, "The account's current leagues, private ones included"),
    )
    .middleware(BearerAuth)
    .middleware(RequestErrors) {}
