/**
 * The JSON bodies of requests and responses, as plain records.
 *
 * Generated from the HttpApi by `pnpm generate`. Not to be edited.
 */
export { CharacterList } from "./bodies/CharacterList.ts";
export { CharacterResult } from "./bodies/CharacterResult.ts";
export { CurrencyExchangePage } from "@game-data/schemas/CurrencyExchangePage";
export { ErrorBody } from "./bodies/ErrorBody.ts";
export { EventLadder } from "./bodies/EventLadder.ts";
export { FilterAccepted } from "./bodies/FilterAccepted.ts";
export { FilterCreate } from "./bodies/FilterCreate.ts";
export { FilterList } from "./bodies/FilterList.ts";
export { FilterResult } from "./bodies/FilterResult.ts";
export { FilterUpdate } from "./bodies/FilterUpdate.ts";
export { FilterUpdated } from "./bodies/FilterUpdated.ts";
export { Ladder } from "./bodies/Ladder.ts";
export { LeagueAccountResult } from "./bodies/LeagueAccountResult.ts";
export { LeagueList } from "./bodies/LeagueList.ts";
export { LeagueResult } from "./bodies/LeagueResult.ts";
export { MatchLadder } from "./bodies/MatchLadder.ts";
export { MatchList } from "./bodies/MatchList.ts";
export { MatchResult } from "./bodies/MatchResult.ts";
export { Profile } from "@game-data/schemas/Profile";
export { PublicStashPage } from "@game-data/schemas/PublicStashPage";
export { StashList } from "./bodies/StashList.ts";
export { StashResult } from "./bodies/StashResult.ts";
