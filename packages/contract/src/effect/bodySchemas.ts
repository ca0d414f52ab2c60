/** The Effect Schemas of all bodies by name. One that is missing does not compile. */
import type * as Schema from "effect/Schema";
import type { BodyOf } from "../routes/requests.ts";
import type { BodyName } from "../routes/Route.ts";
import { CurrencyExchangePage, Profile, PublicStashPage } from "@game-data/schemas/effect";
import * as Requests from "./Requests.ts";
import * as Responses from "./Responses.ts";

/** The Effect Schemas of the bodies that the table of operations names. */
export const bodySchemas: { readonly [Name in BodyName]: Schema.Codec<BodyOf<Name>> } = {
  ...Requests,
  ...Responses,
  CurrencyExchangePage,
  Profile,
  PublicStashPage,
};
