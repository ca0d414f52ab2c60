/**
 * The results of the operations of the data API.
 *
 * Generated from the HttpApi by `pnpm generate`. Not to be edited.
 */
import {
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
} from "./bodies.ts";

/** The body that each operation answers with. */
export interface Results {
  readonly "profile.get": Profile;
  readonly "itemFilters.list": FilterList;
  readonly "itemFilters.get": FilterResult;
  readonly "itemFilters.create": FilterResult;
  readonly "itemFilters.update": FilterUpdated | FilterAccepted;
  readonly "leagues.list": LeagueList;
  readonly "leagues.get": LeagueResult;
  readonly "leagues.ladder": Ladder;
  readonly "leagues.eventLadder": EventLadder;
  readonly "pvpMatches.list": MatchList;
  readonly "pvpMatches.get": MatchResult;
  readonly "pvpMatches.ladder": MatchLadder;
  readonly "accountLeagues.list": LeagueList;
  readonly "characters.list": CharacterList;
  readonly "characters.get": CharacterResult;
  readonly "stashes.list": StashList;
  readonly "stashes.get": StashResult;
  readonly "leagueAccounts.get": LeagueAccountResult;
  readonly "guildStashes.list": StashList;
  readonly "guildStashes.get": StashResult;
  readonly "publicStashTabs.page": PublicStashPage;
  readonly "currencyExchange.page": CurrencyExchangePage;
}

/** The bodies of requests and responses by their names in the route table. */
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
