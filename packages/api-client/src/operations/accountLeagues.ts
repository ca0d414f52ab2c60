/** The account's leagues, private ones included. */
import type { League } from "@game-data/schemas";
import type { GameApiService } from "../GameApiService.ts";
import { call, type Client } from "./Client.ts";

const list = {
  name: "accountLeagues.list",
  pick: (body: { leagues: ReadonlyArray<League> }) => body.leagues,
} as const;

export const accountLeagues = (client: Client): GameApiService["accountLeagues"] => ({
  list: (request, options) => call(client, list, request ?? {}, options),
});
