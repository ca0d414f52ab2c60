/**
 * The parameters of the operations of the data API.
 *
 * Generated from the HttpApi by `pnpm generate`. Not to be edited.
 */

/** The parameters of each operation, of its path and its query together. */
export interface Requests {
  readonly "profile.get": Readonly<Record<string, never>>;
  readonly "itemFilters.list": Readonly<Record<string, never>>;
  readonly "itemFilters.get": {
    readonly id: string;
  };
  readonly "itemFilters.create": {
    readonly validate?: boolean | undefined;
  };
  readonly "itemFilters.update": {
    readonly id: string;
    readonly validate?: boolean | undefined;
  };
  readonly "leagues.list": {
    /** Default: "pc". */
    readonly realm?: "pc" | "console_a" | "console_b" | "game2" | undefined;
    /** Default: "main". */
    readonly type?: "main" | "event" | "season" | undefined;
    readonly season?: string | undefined;
    /** From 1 to 50. Default: 50. */
    readonly limit?: number | undefined;
    /** At least 0. Default: 0. */
    readonly offset?: number | undefined;
  };
  readonly "leagues.get": {
    readonly league: string;
    /** Default: "pc". */
    readonly realm?: "pc" | "console_a" | "console_b" | "game2" | undefined;
  };
  readonly "leagues.ladder": {
    readonly league: string;
    /** Default: "pc". */
    readonly realm?: "pc" | "console_a" | "console_b" | undefined;
    readonly sort?:
      | "xp"
      | "depth"
      | "depthsolo"
      | "ancestor"
      | "time"
      | "score"
      | "class"
      | undefined;
    readonly class?:
      | "scion"
      | "marauder"
      | "ranger"
      | "witch"
      | "duelist"
      | "templar"
      | "shadow"
      | undefined;
    /** From 1 to 500. Default: 20. */
    readonly limit?: number | undefined;
    /** At least 0. Default: 0. */
    readonly offset?: number | undefined;
  };
  readonly "leagues.eventLadder": {
    readonly league: string;
    /** Default: "pc". */
    readonly realm?: "pc" | "console_a" | "console_b" | undefined;
    /** From 1 to 500. Default: 20. */
    readonly limit?: number | undefined;
    /** At least 0. Default: 0. */
    readonly offset?: number | undefined;
  };
  readonly "pvpMatches.list": {
    /** Default: "pc". */
    readonly realm?: "pc" | "console_a" | "console_b" | undefined;
    /** Default: "upcoming". */
    readonly type?: "upcoming" | "season" | "league" | undefined;
    readonly season?: string | undefined;
    readonly league?: string | undefined;
  };
  readonly "pvpMatches.get": {
    readonly match: string;
    /** Default: "pc". */
    readonly realm?: "pc" | "console_a" | "console_b" | undefined;
  };
  readonly "pvpMatches.ladder": {
    readonly match: string;
    /** Default: "pc". */
    readonly realm?: "pc" | "console_a" | "console_b" | undefined;
    /** From 1 to 200. Default: 20. */
    readonly limit?: number | undefined;
    /** At least 0. Default: 0. */
    readonly offset?: number | undefined;
  };
  readonly "accountLeagues.list": {
    /** Default: "pc". */
    readonly realm?: "pc" | "console_a" | "console_b" | undefined;
  };
  readonly "characters.list": {
    /** Default: "pc". */
    readonly realm?: "pc" | "console_a" | "console_b" | "game2" | undefined;
  };
  readonly "characters.get": {
    /** Default: "pc". */
    readonly realm?: "pc" | "console_a" | "console_b" | "game2" | undefined;
    readonly name: string;
  };
  readonly "stashes.list": {
    /** Default: "pc". */
    readonly realm?: "pc" | "console_a" | "console_b" | undefined;
    readonly league: string;
  };
  readonly "stashes.get": {
    /** Default: "pc". */
    readonly realm?: "pc" | "console_a" | "console_b" | undefined;
    readonly league: string;
    readonly stash_id: string;
    readonly substash_id?: string | undefined;
  };
  readonly "leagueAccounts.get": {
    /** Default: "pc". */
    readonly realm?: "pc" | "console_a" | "console_b" | undefined;
    readonly league: string;
  };
  readonly "guildStashes.list": {
    /** Default: "pc". */
    readonly realm?: "pc" | "console_a" | "console_b" | undefined;
    readonly league: string;
  };
  readonly "guildStashes.get": {
    /** Default: "pc". */
    readonly realm?: "pc" | "console_a" | "console_b" | undefined;
    readonly league: string;
    readonly stash_id: string;
    readonly substash_id?: string | undefined;
  };
  readonly "publicStashTabs.page": {
    /** Default: "pc". */
    readonly realm?: "pc" | "console_a" | "console_b" | undefined;
    readonly id?: string | undefined;
  };
  readonly "currencyExchange.page": {
    /** Default: "pc". */
    readonly realm?: "pc" | "console_a" | "console_b" | "game2" | undefined;
    /** At least 0. */
    readonly id?: number | undefined;
  };
}
