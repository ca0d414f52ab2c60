/**
 * A whole stash with its sub-tabs.
 */
import { ResponseListener } from "@game-data/api-client";
import type { StashTab } from "@game-data/schemas";
import { Effect } from "effect";
import { bodiesWith, type Captured, isMembers, listIn, type Members } from "../Captured.ts";
import * as Report from "../Report.ts";
import { compare, must, type Step, type Tour, userOf } from "../Tour.ts";
import { leagueOf } from "./Account.ts";

const SHOWN = 8;

/** Every tab of a league, with its items. */
export const stash: Step = {
  title: "The whole stash",
  speaker: "user",
  scopes: ["account:stashes", "account:characters"],
  run: Effect.fnUntraced(function* (tour) {
    const { api } = userOf(tour);
    const league = leagueOf(yield* api.characters.list());
    if (league === undefined) return { leftOut: "no character is in a league" };
    const listed = flatten(yield* api.stashes.list({ league }));
    if (tour.captured !== undefined && bodiesWith(tour.captured, "stashes").some(isList))
      return yield* capturedStash(tour, tour.captured, league, listed);

    const bar = Report.bar(listed.length);
    const tell = yield* ResponseListener;
    let answers = 0;
    const { failures, tabs } = yield* api.stashes.all({ league }).pipe(
      Effect.provideService(ResponseListener, (info) => {
        tell?.(info);
        answers += 1;
        bar.show(answers, `${answers} answers`);
      }),
    );
    const whole = flatten(tabs);
    bar.end(listed.length, `${whole.length} tabs`);
    showByType(whole);
    yield* must(
      failures.length === 0,
      `${failures.length} tabs could not be had: ${failures[0]?.error.message}`,
    );
    const ids = new Set(whole.map(({ id }) => id));
    // A folder is no tab: what is in it counts.
    const tabsListed = listed.filter(({ type }) => type !== "Folder");
    const lost = tabsListed.filter(({ id }) => !ids.has(id));
    yield* must(lost.length === 0, `${lost.length} listed tabs are missing`);
    return {
      proof: `all ${tabsListed.length} listed tabs of ${league}, ${whole.length - tabs.length} of them sub-tabs, with ${Report.number(itemsIn(whole))} items`,
    };
  }),
};

const flatten = (tabs: ReadonlyArray<StashTab>): ReadonlyArray<StashTab> =>
  tabs.flatMap((tab) => [tab, ...flatten(tab.children ?? [])]);

const itemsIn = (tabs: ReadonlyArray<StashTab>): number =>
  tabs.reduce((sum, { items }) => sum + (items?.length ?? 0), 0);

const showByType = (tabs: ReadonlyArray<StashTab>) => {
  const types = Map.groupBy(tabs, ({ type }) => type);
  const rows = [...types]
    .map(([type, all]) => [type, all.length, itemsIn(all)] as const)
    .toSorted((a, b) => b[2] - a[2]);
  Report.table(["type of tab", "tabs", "items"], rows.slice(0, SHOWN), rows.length - SHOWN);
};

const isList = (body: Members) => !("next_change_id" in body);

/** Of a captured list only some tabs are captured with their items: these are fetched one by one. */
const capturedStash = Effect.fnUntraced(function* (
  tour: Tour,
  captured: Captured,
  league: string,
  listed: ReadonlyArray<StashTab>,
) {
  const inFiles = bodiesWith(captured, "stash").flatMap(({ stash: tab }) =>
    isMembers(tab) ? [tab] : [],
  );
  const fetched: Array<StashTab> = [];
  for (const { id } of inFiles) {
    const tab = yield* userOf(tour).api.stashes.get({ league, stash_id: String(id) });
    if (tab !== null) fetched.push(...flatten([tab]));
  }
  showByType(fetched);
  const list = bodiesWith(captured, "stashes").find(isList);
  const files = inFiles.flatMap(withChildren);
  const items = files.reduce((sum, tab) => sum + listIn(tab, "items").length, 0);
  yield* compare(
    ["tabs listed", listed.length, listIn(list, "stashes").flatMap(withChildren).length],
    ["tabs with items", fetched.length, files.length],
    ["items", itemsIn(fetched), items],
  );
  return {
    proof: `${Report.number(listed.length)} tabs listed, ${fetched.length} captured with their items`,
  };
});

const withChildren = (tab: Members): ReadonlyArray<Members> => [
  tab,
  ...listIn(tab, "children").flatMap(withChildren),
];
