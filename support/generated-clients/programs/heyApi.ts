/** A client of @hey-api/openapi-ts. */
import {
  accountLeaguesList,
  itemFiltersGet,
  profileGet,
  stashesList,
} from "../dist/hey-api/index.ts";
import { client } from "../dist/hey-api/client.gen.ts";
import type { Character } from "../dist/hey-api/index.ts";
import type { Access, Account } from "./Account.ts";

/** No structure has an index signature, so a misspelled member does not compile. */
export const levelOf = (character: Character): number =>
  // @ts-expect-error there is no such member
  character.levle;

export const readAccount = async ({ baseUrl, token }: Access): Promise<Account> => {
  client.setConfig({ baseUrl, auth: token });
  const profile = await profileGet();
  const leagues = await accountLeaguesList();
  if (!profile.data || !leagues.data) throw new Error("the service refused");
  const names = leagues.data.leagues.map(({ id }) => id);
  const stashes = await stashesList({ path: { league: names[0] ?? "" } });
  const none = await itemFiltersGet({ path: { id: "none" } });
  return {
    name: profile.data.name,
    leagues: names,
    tabs: stashes.data?.stashes.length ?? -1,
    errorCode: none.error?.error.code,
  };
};
