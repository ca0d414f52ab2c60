/** The account's characters (§4.2, Characters). */
import * as HttpApiGroup from "effect/http-api/HttpApiGroup";
import { BearerAuth, RequestErrors } from "../Access.ts";
import { ambiguousRealmVariants, realmVariants } from "../internal/realmVariants.ts";
import { Name, pathRealms } from "../Requests.ts";
import { CharacterList, CharacterResult } from "../Responses.ts";
import { RequiredScopes } from "../Scope.ts";

/** `/character[/<realm>]` and `/character[/<realm>]/<name>` */
export class CharactersGroup
  extends /*#__PURE__*/ HttpApiGroup.make("characters")
    .add(
      ...realmVariants({
        name: "list",
        before: "/character",
        after: "",
        realms: pathRealms,
        params: {},
        success: CharacterList,
        summary: "The account's characters, without equipment",
      }),
      ...ambiguousRealmVariants({
        name: "get",
        before: "/character",
        first: "name",
        after: "",
        realms: pathRealms,
        params: { name: Name },
        success: CharacterResult,
        summary: "One character with equipment, inventory and passives, or null",
      }),
    )
    .annotateEndpoints(RequiredScopes, ["account:characters"])
    .middleware(BearerAuth)
    .middleware(RequestErrors) {}
