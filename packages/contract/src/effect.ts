/** The bodies of the data API as Effect Schemas. `./results` has them without Effect. */
import { recordSchema, type RecordSchema } from "@game-data/schemas/effect";
import type { BodyOf } from "./routes/requests.ts";
import type { BodyName } from "./routes/Route.ts";
import * as results from "./routes/results.ts";

export {
  CurrencyExchangePage,
  ErrorObject as ErrorDetail,
  Profile,
  PublicStashPage,
} from "@game-data/schemas/effect";

export type CharacterList = results.CharacterList;
export const CharacterList = /* @__PURE__ */ recordSchema(results.CharacterList);
export type CharacterResult = results.CharacterResult;
export const CharacterResult = /* @__PURE__ */ recordSchema(results.CharacterResult);
export type ErrorBody = results.ErrorBody;
export const ErrorBody = /* @__PURE__ */ recordSchema(results.ErrorBody);
export type EventLadder = results.EventLadder;
export const EventLadder = /* @__PURE__ */ recordSchema(results.EventLadder);
export type FilterAccepted = results.FilterAccepted;
export const FilterAccepted = /* @__PURE__ */ recordSchema(results.FilterAccepted);
export type FilterCreate = results.FilterCreate;
export const FilterCreate = /* @__PURE__ */ recordSchema(results.FilterCreate);
export type FilterList = results.FilterList;
export const FilterList = /* @__PURE__ */ recordSchema(results.FilterList);
export type FilterResult = results.FilterResult;
export const FilterResult = /* @__PURE__ */ recordSchema(results.FilterResult);
export type FilterUpdate = results.FilterUpdate;
export const FilterUpdate = /* @__PURE__ */ recordSchema(results.FilterUpdate);
export type FilterUpdated = results.FilterUpdated;
export const FilterUpdated = /* @__PURE__ */ recordSchema(results.FilterUpdated);
export type Ladder = results.Ladder;
export const Ladder = /* @__PURE__ */ recordSchema(results.Ladder);
export type LeagueAccountResult = results.LeagueAccountResult;
export const LeagueAccountResult = /* @__PURE__ */ recordSchema(results.LeagueAccountResult);
export type LeagueList = results.LeagueList;
export const LeagueList = /* @__PURE__ */ recordSchema(results.LeagueList);
export type LeagueResult = results.LeagueResult;
export const LeagueResult = /* @__PURE__ */ recordSchema(results.LeagueResult);
export type MatchLadder = results.MatchLadder;
export const MatchLadder = /* @__PURE__ */ recordSchema(results.MatchLadder);
export type MatchList = results.MatchList;
export const MatchList = /* @__PURE__ */ recordSchema(results.MatchList);
export type MatchResult = results.MatchResult;
export const MatchResult = /* @__PURE__ */ recordSchema(results.MatchResult);
export type StashList = results.StashList;
export const StashList = /* @__PURE__ */ recordSchema(results.StashList);
export type StashResult = results.StashResult;
export const StashResult = /* @__PURE__ */ recordSchema(results.StashResult);

/** The Effect Schemas of the bodies by their names in the table of operations. */
export const bodySchemas = /* @__PURE__ */ Object.fromEntries(
  /* @__PURE__ */ Object.entries(results.bodies).map(([name, body]) => [
    name,
    recordSchema<unknown>(body),
  ]),
) as unknown as { readonly [Name in BodyName]: RecordSchema<BodyOf<Name>> };
