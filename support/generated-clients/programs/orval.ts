/** A client of orval, whose base address is the one of the generated document. */
import { accountLeaguesList, itemFiltersGet, profileGet, stashesList } from "../dist/orval/api.ts";
import type { Character } from "../dist/orval/api.ts";
import type { Access, Account } from "./Account.ts";

/** No structure has an index signature, so a misspelled member does not compile. */
export const levelOf = (character: Character): number =>
  // @ts-expect-error there is no such member
  character.levle;

export const readAccount = async ({ token }: Access): Promise<Account> => {
  const options = { headers: { authorization: `Bearer ${token}` } };
  const profile = await profileGet(options);
  const leagues = await accountLeaguesList(options);
  if (profile.status !== 200 || leagues.status !== 200) throw new Error("the service refused");
  const names = leagues.data.leagues.map(({ id }) => id);
  const stashes = await stashesList(names[0] ?? "", options);
  const none = await itemFiltersGet("none", options);
  return {
    name: profile.data.name,
    leagues: names,
    tabs: stashes.status === 200 ? stashes.data.stashes.length : -1,
    errorCode: none.status === 200 ? undefined : none.data.error.code,
  };
};
