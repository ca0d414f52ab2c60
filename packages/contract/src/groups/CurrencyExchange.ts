/** The history of the currency exchange, hour by hour (§4.2, Currency exchange). */
import * as Schema from "effect/Schema";
import * as HttpApiGroup from "effect/http-api/HttpApiGroup";
import { BearerAuth, RequestErrors } from "../Access.ts";
import { CurrencyExchangePage } from "../internal/Records.ts";
import { realmVariants } from "../internal/realmVariants.ts";
import { pathRealms } from "../Requests.ts";
import { RequiredScopes } from "../Scope.ts";

/** `/currency-exchange[/<realm>][/<id>]` */
export class CurrencyExchangeGroup
  extends /*#__PURE__*/ HttpApiGroup.make("currencyExchange")
    .add(
      ...realmVariants({
        name: "page",
        before: "/currency-exchange",
        after: "/:id?",
        realms: pathRealms,
        params: { id: Schema.optionalKey(Schema.Natural) },
        success: CurrencyExchangePage,
        summary: "One hour of the currency exchange; without an id the first one",
      }),
    )
    .annotateEndpoints(RequiredScopes, ["service:cxapi"])
    .middleware(BearerAuth)
    .middleware(RequestErrors) {}
