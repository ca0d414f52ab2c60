/**
 * Item filters of the account (§4.2, Item filters).
 *
 * The schema of status 202 stands before that of 200: a server encodes by the first schema that
 * fits, and every 202 body fits the schema of 200 as well.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint";
import * as HttpApiGroup from "effect/http-api/HttpApiGroup";
import * as OpenApi from "effect/http-api/OpenApi";
import { BearerAuth, RequestErrors } from "../Access.ts";
import { bodyErrors, commonErrors } from "../Errors.ts";
import { FilterCreate, FilterQuery, FilterUpdate, Name } from "../Requests.ts";
import { FilterAccepted, FilterList, FilterResult, FilterUpdated } from "../Responses.ts";
import { stringMembers, strings } from "../internal/strings.ts";
import { RequiredScopes } from "../Scope.ts";

/** `/item-filter` */
export class ItemFiltersGroup
  extends /*#__PURE__*/ HttpApiGroup.make("itemFilters")
    .add(
      HttpApiEndpoint.get("list", "/item-filter", {
        disableCodecs: true,
        success: FilterList,
        error: commonErrors,
      }).annotate(OpenApi.Summary, "The online filters on the account, without their text"),
      HttpApiEndpoint.get("get", "/item-filter/:id", {
        disableCodecs: true,
        params: stringMembers({ id: Name }),
        success: FilterResult,
        error: commonErrors,
      }).annotate(OpenApi.Summary, "One filter with its text"),
      HttpApiEndpoint.post("create", "/item-filter", {
        disableCodecs: true,
        query: strings(FilterQuery),
        payload: FilterCreate,
        success: FilterResult,
        error: bodyErrors,
      }).annotate(OpenApi.Summary, "Create a filter"),
      HttpApiEndpoint.post("update", "/item-filter/:id", {
        disableCodecs: true,
        params: stringMembers({ id: Name }),
        query: strings(FilterQuery),
        payload: FilterUpdate,
        success: [FilterAccepted, FilterUpdated],
        error: bodyErrors,
      }).annotate(OpenApi.Summary, "Change some properties of a filter"),
    )
    .annotateEndpoints(RequiredScopes, ["account:item_filter"])
    .middleware(BearerAuth)
    .middleware(RequestErrors) {}
