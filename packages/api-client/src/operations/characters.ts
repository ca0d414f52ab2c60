/** The account's characters. */
import type { Character } from "@game-data/schemas";
import type { GameApiService } from "../GameApiService.ts";
import { call, type Client } from "./Client.ts";

const list = {
  name: "characters.list",
  pick: (body: { characters: ReadonlyArray<Character> }) => body.characters,
} as const;

const get = {
  name: "characters.get",
  pick: (body: { character: Character | null }) => body.character,
  isNullable: true,
} as const;

export const characters = (client: Client): GameApiService["characters"] => ({
  list: (request, options) => call(client, list, request ?? {}, options),
  get: (request, options) => call(client, get, request, options),
});
