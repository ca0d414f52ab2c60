/**
 * Every tab of a league with its items, fetched in parallel within the rate limits.
 */
import {
  countByType,
  countItems,
  currentLeague,
  flattenTabs,
  tabIds,
} from "@game-data/api-client/stash";
import { Effect } from "effect";
import { number, Report } from "../report.ts";
import { assert, type Step } from "../Tour.ts";

export const stash: Step = {
  title: "The whole stash",
  session: "user",
  scopes: ["account:stashes", "account:characters"],
  run: Effect.fnUntraced(function* ({ captured, user }) {
    const report = yield* Report;
    const { characters, stashes } = user.api;
    const league = currentLeague(yield* characters.list());
    if (league === undefined) return { skipped: "no character is in a league" };
    const listed = yield* stashes.list({ league });

    // Captures may hold some of the listed tabs only.
    const { counts = {}, tabIds: single = [] } = captured ?? {};
    const some = counts["tabs listed"] || single.length > 0 ? single : undefined;
    const wanted = some ?? tabIds(listed);
    let responses = 0;
    const onResponse = () =>
      report.progress((responses += 1), wanted.length, `${responses} responses`);
    const { failures, tabs } = yield* some
      ? stashes.some({ league, ids: some }, { onResponse })
      : stashes.all({ league }, { onResponse });
    report.table(
      ["type of tab", "tabs", "items"],
      countByType(tabs).map(({ items, tabs: count, type }) => [type, count, items]),
      8,
    );

    const whole = flattenTabs(tabs);
    const [failure] = failures;
    yield* assert(!failure, `${failures.length} tabs failed: ${failure?.error.message}`);
    const ids = new Set(whole.map(({ id }) => id));
    const missing = wanted.filter((id) => !ids.has(id)).length;
    yield* assert(missing === 0, `${missing} listed tabs are missing`);
    const items = countItems(tabs);
    const kind = some ? "captured" : "listed";
    return {
      result: `all ${wanted.length} ${kind} tabs of ${league}, ${whole.length - tabs.length} of them sub-tabs, with ${number(items)} items`,
      counts: {
        "tabs listed": flattenTabs(listed).length,
        "tabs with items": whole.length,
        "items in tabs": items,
      },
    };
  }),
};
