/**
 * The JSON bodies of requests and responses, as plain records.
 *
 * Generated from the table of operations by `pnpm generate`. Not to be edited.
 */
import { CharacterList } from "./bodies/CharacterList.ts";
import { CharacterResult } from "./bodies/CharacterResult.ts";
import { CurrencyExchangePage } from "@game-data/schemas/CurrencyExchangePage";
import { ErrorBody } from "./bodies/ErrorBody.ts";
import { EventLadder } from "./bodies/EventLadder.ts";
import { FilterAccepted } from "./bodies/FilterAccepted.ts";
import { FilterCreate } from "./bodies/FilterCreate.ts";
import { FilterList } from "./bodies/FilterList.ts";
import { FilterResult } from "./bodies/FilterResult.ts";
import { FilterUpdate } from "./bodies/FilterUpdate.ts";
import { FilterUpdated } from "./bodies/FilterUpdated.ts";
import { Ladder } from "./bodies/Ladder.ts";
import { LeagueAccountResult } from "./bodies/LeagueAccountResult.ts";
import { LeagueList } from "./bodies/LeagueList.ts";
import { LeagueResult } from "./bodies/LeagueResult.ts";
import { MatchLadder } from "./bodies/MatchLadder.ts";
import { MatchList } from "./bodies/MatchList.ts";
import { MatchResult } from "./bodies/MatchResult.ts";
import { Profile } from "@game-data/schemas/Profile";
import { PublicStashPage } from "@game-data/schemas/PublicStashPage";
import { StashList } from "./bodies/StashList.ts";
import { StashResult } from "./bodies/StashResult.ts";

export {
  CharacterList,
  CharacterResult,
  CurrencyExchangePage,
  ErrorBody,
  EventLadder,
  FilterAccepted,
  FilterCreate,
  FilterList,
  FilterResult,
  FilterUpdate,
  FilterUpdated,
  Ladder,
  LeagueAccountResult,
  LeagueList,
  LeagueResult,
  MatchLadder,
  MatchList,
  MatchResult,
  Profile,
  PublicStashPage,
  StashList,
  StashResult,
};

/** The bodies by their names in the table of operations. */
export const bodies = {
  CharacterList,
  CharacterResult,
  CurrencyExchangePage,
  EventLadder,
  FilterAccepted,
  FilterCreate,
  FilterList,
  FilterResult,
  FilterUpdate,
  FilterUpdated,
  Ladder,
  LeagueAccountResult,
  LeagueList,
  LeagueResult,
  MatchLadder,
  MatchList,
  MatchResult,
  Profile,
  PublicStashPage,
  StashList,
  StashResult,
} as const;
