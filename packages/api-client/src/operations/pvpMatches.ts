/** PvP matches and their ladders. */
import type { MatchLadder } from "@game-data/contract";
import type { PvPMatch } from "@game-data/schemas";
import type { GameApiService } from "../GameApiService.ts";
import { call, type Client } from "./Client.ts";

const list = {
  name: "pvpMatches.list",
  pick: (body: { matches: ReadonlyArray<PvPMatch> }) => body.matches,
} as const;

const get = {
  name: "pvpMatches.get",
  pick: (body: { match: PvPMatch | null }) => body.match,
  isNullable: true,
} as const;

const ladder = { name: "pvpMatches.ladder", pick: (body: MatchLadder) => body.match } as const;

export const pvpMatches = (client: Client): GameApiService["pvpMatches"] => ({
  list: (request, options) => call(client, list, request ?? {}, options),
  get: (request, options) => call(client, get, request, options),
  ladder: (request, options) => call(client, ladder, request, options),
});
