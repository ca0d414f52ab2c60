/** The account behind the token. */
import type { Profile } from "@game-data/schemas";
import type { GameApiService } from "../GameApiService.ts";
import { call, type Client } from "./Client.ts";

const get = { name: "profile.get", pick: (body: Profile) => body } as const;

export const profile = (client: Client): GameApiService["profile"] => ({
  get: (options) => call(client, get, {}, options),
});
