/** Compares a store with the pages that the server served. */
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import { Changes, type StashRealm, Verify } from "../src/index.ts";
import * as StoreUrl from "../src/StoreUrl.ts";
import { bodyOf, fold, type MadePage } from "../test/support/History.ts";

/** Returns what is wrong: pages lost, doubled or out of order, other bytes, damage of the log. */
export const checkStore = (
  store: string,
  history: ReadonlyArray<MadePage>,
  realm: StashRealm = "pc",
): Promise<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const key = { source: "stashes", realm } as const;
    const address = yield* StoreUrl.parse(store);
    const log = StoreUrl.logLayer(address);
    const pages = yield* Changes.subscribe({ key, until: "caughtUp" }).pipe(
      Stream.runCollect,
      Effect.provide(log),
    );
    const damage = yield* Effect.provide(Verify.verify(key, { deep: true }), log);
    return [
      ...checkPages(pages, history),
      ...checkStashes(pages, history),
      ...damage.problems.map((problem) => `verify: ${problem}`),
    ];
  }).pipe(Effect.runPromise);

/** Returns which pages are not there once, in order, with their own bytes. */
export const checkPages = (
  pages: ReadonlyArray<Changes.ChangeBatch>,
  history: ReadonlyArray<MadePage>,
): ReadonlyArray<string> => {
  const problems =
    pages.length === history.length ? [] : [`${pages.length} pages of ${history.length}`];
  for (const [index, { changes, nextId, version }] of pages.entries()) {
    const page = history[index];
    if (page === undefined) break;
    const place = `page ${index + 1}`;
    const list = changes.map(({ json }) => json).join(",");
    const text = `{"next_change_id":${JSON.stringify(nextId)},"stashes":[${list}]}`;
    if (version !== BigInt(index + 1)) problems.push(`${place} has the number ${version}`);
    if (nextId !== page.nextId) problems.push(`${place} is out of order`);
    else if (text !== bodyOf(page)) problems.push(`${place} has other bytes`);
  }
  return problems.slice(0, 20);
};

/** Returns which stashes are not as their last appearance in the history. */
const checkStashes = (
  pages: ReadonlyArray<Changes.ChangeBatch>,
  history: ReadonlyArray<MadePage>,
): ReadonlyArray<string> => {
  const state = new Map<string, string | null>();
  for (const { id, isPublic, json } of pages.flatMap(({ changes }) => changes))
    state.set(id, isPublic ? json : null);
  const expected = fold(history);
  return [...new Set([...expected.keys(), ...state.keys()])]
    .filter((id) => expected.get(id) !== state.get(id))
    .map((id) => `stash ${id} differs`);
};
