/** The stream of all public stashes. */
import type { PublicStashPage } from "@game-data/schemas";
import type { GameApiService } from "../GameApiService.ts";
import { call, open, type Client } from "./Client.ts";

const page = { name: "publicStashTabs.page", pick: (body: PublicStashPage) => body } as const;

export const publicStashTabs = (client: Client): GameApiService["publicStashTabs"] => ({
  page: (request, options) => call(client, page, request ?? {}, options),
  raw: (request, options) => open(client, page, request ?? {}, options),
});
