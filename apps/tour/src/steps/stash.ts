/** Step: fetches every tab of a league with its items, in parallel within the rate limits. */
import type { StashTab } from "@game-data/schemas";
import { Effect } from "effect";
import { check, count, print, type Step } from "../Step.ts";

export const stash: Step = {
  title: "The whole stash",
  run: Effect.fn("tour.stash")(function* ({ userApi }) {
    const characters = yield* userApi.characters.list();
    const league = characters.find(({ current }) => current === true)!.league!;
    const { failures, tabs } = yield* userApi.stashes.all({ league });
    yield* check(failures.length === 0, `${failures.length} tabs could not be fetched`);

    const all = flatten(tabs);
    const items = all.reduce((sum, tab) => sum + (tab.items?.length ?? 0), 0);
    const byType = [...Map.groupBy(all, ({ type }) => type)];
    yield* print(...byType.slice(0, 6).map(([type, { length }]) => [type, length]));
    yield* check(items > 0, "the tabs hold no items");
    return `${all.length} tabs of ${league}, with ${count(items)} items`;
  }),
};

/** Returns all tabs. Folders and map tabs have other tabs in `children`. */
const flatten = (tabs: ReadonlyArray<StashTab>): ReadonlyArray<StashTab> =>
  tabs.flatMap((tab) => [tab, ...flatten(tab.children ?? [])]);
