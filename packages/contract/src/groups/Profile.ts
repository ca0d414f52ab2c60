/** The account behind the access token (§4.2, Profile). */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint";
import * as HttpApiGroup from "effect/http-api/HttpApiGroup";
import * as OpenApi from "effect/http-api/OpenApi";
import { BearerAuth, RequestErrors } from "../Access.ts";
import { commonErrors } from "../Errors.ts";
import { Profile } from "../internal/Records.ts";
import { RequiredScopes } from "../Scope.ts";

/** `GET /profile` */
export class ProfileGroup
  extends /*#__PURE__*/ HttpApiGroup.make("profile")
    .add(
      HttpApiEndpoint.get("get", "/profile", {
        disableCodecs: true,
        success: Profile,
        error: commonErrors,
      })
        .annotate(RequiredScopes, ["account:profile"])
        .annotate(OpenApi.Summary, "The profile of the account"),
    )
    .middleware(BearerAuth)
    .middleware(RequestErrors) {}
