/** Allocated atlas passives. */
import type { LeagueAccount } from "@game-data/schemas";
import type { GameApiService } from "../GameApiService.ts";
import { call, type Client } from "./Client.ts";

const get = {
  name: "leagueAccounts.get",
  pick: (body: { league_account: LeagueAccount }) => body.league_account,
} as const;

export const leagueAccounts = (client: Client): GameApiService["leagueAccounts"] => ({
  get: (request, options) => call(client, get, request, options),
});
