// The code under test: names the strongest character of an account.
import type { GameApi } from "@game-data/api-client/promise";

export const strongest = async (api: Pick<GameApi, "characters">): Promise<string> => {
  const [first] = (await api.characters.list()).toSorted((a, b) => b.level - a.level);
  return first === undefined ? "No characters." : `${first.name} is at level ${first.level}.`;
};
