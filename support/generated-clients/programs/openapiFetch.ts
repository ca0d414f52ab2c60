/** A client of openapi-typescript and openapi-fetch. */
import createClient from "openapi-fetch";
import type { components, paths } from "../dist/openapi-typescript.ts";
import type { Access, Account } from "./Account.ts";

/** No structure has an index signature, so a misspelled member does not compile. */
export const levelOf = (character: components["schemas"]["Character"]): number =>
  // @ts-expect-error there is no such member
  character.levle;

export const readAccount = async ({ baseUrl, token }: Access): Promise<Account> => {
  const headers = { authorization: `Bearer ${token}` };
  const client = createClient<paths>({ baseUrl, headers });
  const profile = await client.GET("/profile");
  const leagues = await client.GET("/account/leagues");
  if (!profile.data || !leagues.data) throw new Error("the service refused");
  const names = leagues.data.leagues.map(({ id }) => id);
  const stashes = await client.GET("/stash/{league}", {
    params: { path: { league: names[0] ?? "" } },
  });
  const none = await client.GET("/item-filter/{id}", { params: { path: { id: "none" } } });
  return {
    name: profile.data.name,
    leagues: names,
    tabs: stashes.data?.stashes.length ?? -1,
    errorCode: none.error?.error.code,
  };
};
