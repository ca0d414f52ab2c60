/** The guild's stash tabs. */
import type { Requests } from "@game-data/contract/routes";
import type { StashTab } from "@game-data/schemas";
import type { GameApiService } from "../GameApiService.ts";
import { call, type Client } from "./Client.ts";
import { fetchAllTabs, type TabMethods } from "./stashes.ts";

const list = {
  name: "guildStashes.list",
  pick: (body: { stashes: ReadonlyArray<StashTab> }) => body.stashes,
} as const;

const get = {
  name: "guildStashes.get",
  pick: (body: { stash: StashTab | null }) => body.stash,
  isNullable: true,
} as const;

export const guildStashes = (client: Client): GameApiService["guildStashes"] => {
  const methods: TabMethods<Requests["guildStashes.list"]> = {
    list: (request, options) => call(client, list, request, options),
    get: (request, options) => call(client, get, request, options),
  };
  return { ...methods, all: (request, options) => fetchAllTabs(methods, request, options) };
};
