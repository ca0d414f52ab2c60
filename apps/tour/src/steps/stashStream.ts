/** Step: follows the public stash stream into SQLite until it has caught up. */
import { Effect } from "effect";
import { follow } from "../follow.ts";
import { check, count, print, type Step } from "../Step.ts";

export const stashStream: Step = {
  title: "The public stash stream, into SQLite",
  run: Effect.fn("tour.stashStream")(function* ({ applicationApi }) {
    const { pages, stored } = yield* follow(applicationApi, { source: "stashes" });
    const changes = pages.flatMap((page) => page.changes);
    // A later change of a stash replaces an earlier one.
    const latest = new Map(changes.map((change) => [change.id, change]));
    const listed = [...latest.values()].filter(({ isPublic }) => isPublic);
    const items = listed.reduce((sum, { itemCount }) => sum + itemCount, 0);
    yield* print(
      ["changes", count(changes.length)],
      ["public stashes", count(listed.length)],
      ["items in them", count(items)],
    );
    const isEqual = stored?.rows === listed.length && stored.items === items;
    yield* check(isEqual, "the counts of the file differ");
    return `${pages.length} pages, and the file holds the same stashes and items`;
  }),
};
