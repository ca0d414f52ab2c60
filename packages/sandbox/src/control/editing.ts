/** Names that edits and views may use. */
import type { Accounts } from "../clients/Accounts.ts";
import { type GameOneRealm, type Realm, REALMS } from "../world/Realm.ts";
import type { StashPlace } from "../world/Tabs.ts";
import type { WorldModel } from "../world/WorldModel.ts";
import { rejected, rejectName } from "./Route.ts";

/** Members of a thing. */
export type Members = Readonly<Record<string, unknown>>;

/** The uuid of an account by its name or uuid. */
export const uuidOf = (accounts: Accounts, name: string, pointer: string): string =>
  accounts.find(name)?.uuid ??
  rejectName(
    pointer,
    "account",
    name,
    accounts.all.map((one) => one.name),
  );

/** The realm of a name. */
export const realmOf = (name: string, pointer: string): Realm =>
  REALMS.find((one) => one === name) ?? rejectName(pointer, "realm", name, REALMS);

/** The realm of a name, where stashes are meant. */
export const gameOneOf = (name: string, pointer: string): GameOneRealm => {
  const realm = realmOf(name, pointer);
  return realm === "game2" ? rejected("game2 has no stashes", pointer) : realm;
};

/** Refuses a league in which the account cannot own things. */
export const checkLeague = (
  world: WorldModel,
  { account, league, realm }: StashPlace,
  pointer: string,
): void => {
  if (!world.hasLeague(account, realm, league))
    rejectName(
      pointer,
      "league",
      league,
      world.accountLeagues(account, realm).map(({ record }) => record.id),
    );
};
