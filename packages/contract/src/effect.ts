/** The bodies of the data API as Effect Schemas. `./results` has them without Effect. */
import { recordSchema, type RecordSchema } from "@game-data/schemas/effect";
import { ErrorObject } from "@game-data/schemas/ErrorObject";
import * as Plain from "./routes/bodies.ts";
import type { BodyOf } from "./routes/requests.ts";
import type { BodyName } from "./routes/Route.ts";

export type CharacterList = Plain.CharacterList;
export const CharacterList = /* @__PURE__ */ recordSchema(Plain.CharacterList);
export type CharacterResult = Plain.CharacterResult;
export const CharacterResult = /* @__PURE__ */ recordSchema(Plain.CharacterResult);
export type ErrorBody = Plain.ErrorBody;
export const ErrorBody = /* @__PURE__ */ recordSchema(Plain.ErrorBody);
export type EventLadder = Plain.EventLadder;
export const EventLadder = /* @__PURE__ */ recordSchema(Plain.EventLadder);
export type FilterAccepted = Plain.FilterAccepted;
export const FilterAccepted = /* @__PURE__ */ recordSchema(Plain.FilterAccepted);
export type FilterCreate = Plain.FilterCreate;
export const FilterCreate = /* @__PURE__ */ recordSchema(Plain.FilterCreate);
export type FilterList = Plain.FilterList;
export const FilterList = /* @__PURE__ */ recordSchema(Plain.FilterList);
export type FilterResult = Plain.FilterResult;
export const FilterResult = /* @__PURE__ */ recordSchema(Plain.FilterResult);
export type FilterUpdate = Plain.FilterUpdate;
export const FilterUpdate = /* @__PURE__ */ recordSchema(Plain.FilterUpdate);
export type FilterUpdated = Plain.FilterUpdated;
export const FilterUpdated = /* @__PURE__ */ recordSchema(Plain.FilterUpdated);
export type Ladder = Plain.Ladder;
export const Ladder = /* @__PURE__ */ recordSchema(Plain.Ladder);
export type LeagueAccountResult = Plain.LeagueAccountResult;
export const LeagueAccountResult = /* @__PURE__ */ recordSchema(Plain.LeagueAccountResult);
export type LeagueList = Plain.LeagueList;
export const LeagueList = /* @__PURE__ */ recordSchema(Plain.LeagueList);
export type LeagueResult = Plain.LeagueResult;
export const LeagueResult = /* @__PURE__ */ recordSchema(Plain.LeagueResult);
export type MatchLadder = Plain.MatchLadder;
export const MatchLadder = /* @__PURE__ */ recordSchema(Plain.MatchLadder);
export type MatchList = Plain.MatchList;
export const MatchList = /* @__PURE__ */ recordSchema(Plain.MatchList);
export type MatchResult = Plain.MatchResult;
export const MatchResult = /* @__PURE__ */ recordSchema(Plain.MatchResult);
export type StashList = Plain.StashList;
export const StashList = /* @__PURE__ */ recordSchema(Plain.StashList);
export type StashResult = Plain.StashResult;
export const StashResult = /* @__PURE__ */ recordSchema(Plain.StashResult);
/** The reason in the body of an error, or of a filter update that needs more processing. */
export type ErrorDetail = ErrorObject;
export const ErrorDetail = /* @__PURE__ */ recordSchema(ErrorObject);

/** The Effect Schemas of the bodies that the table of operations names. */
export const bodySchemas = /* @__PURE__ */ Object.fromEntries(
  /* @__PURE__ */ Object.entries(Plain.bodies).map(([name, body]) => [
    name,
    recordSchema<unknown>(body),
  ]),
) as unknown as { readonly [Name in BodyName]: RecordSchema<BodyOf<Name>> };
