/**
 * The stream of all public stashes of a realm (§4.2, Public stash stream); game 1 only.
 *
 * Pages are megabytes: a follower reads the body itself instead of going through a generated
 * client.
 */
import * as Schema from "effect/Schema";
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint";
import * as HttpApiGroup from "effect/http-api/HttpApiGroup";
import * as OpenApi from "effect/http-api/OpenApi";
import { BearerAuth, RequestErrors } from "../Access.ts";
import { commonErrors } from "../Errors.ts";
import { PublicStashPage } from "../internal/Records.ts";
import { consoleRealms, PublicStashTabsQuery } from "../Requests.ts";
import { stringMembers, strings } from "../internal/strings.ts";
import { RequiredScopes } from "../Scope.ts";

/** `/public-stash-tabs[/<realm>]` */
export class PublicStashTabsGroup
  extends /*#__PURE__*/ HttpApiGroup.make("publicStashTabs")
    .add(
      HttpApiEndpoint.get("page", "/public-stash-tabs/:realm?", {
        disableCodecs: true,
        params: stringMembers({ realm: Schema.optionalKey(Schema.Literals(consoleRealms)) }),
        query: strings(PublicStashTabsQuery),
        success: PublicStashPage,
        error: commonErrors,
      })
        .annotate(RequiredScopes, ["service:psapi"])
        .annotate(OpenApi.Summary, "A page of the public stash stream"),
    )
    .middleware(BearerAuth)
    .middleware(RequestErrors) {}
