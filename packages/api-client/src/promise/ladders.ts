/**
 * Ladders as async iterables, page by page and entry by entry.
 */
import type { Requests } from "@game-data/contract/routes";
import type { GameApiService } from "../GameApiService.ts";
import { ladderPager } from "../operations/ladderPage.ts";
import type { LadderName, LadderPage, PageOptions } from "../operations/ladderPage.ts";
import type { Runner } from "./Runner.ts";

/** The pages of a ladder. */
export const ladderPages = async function* <Name extends LadderName, Entry>(
  api: GameApiService,
  runner: Runner,
  name: Name,
  request: Requests[Name],
  options: PageOptions = {},
): AsyncIterable<LadderPage<Entry>> {
  const { signal } = options;
  const pager = await runner.run(ladderPager<Name, Entry>(api, name, request, options), signal);
  let offset: number | undefined = pager.first;
  while (offset !== undefined) {
    const found: Awaited<ReturnType<typeof page>> = await page(offset);
    if (found === null) return;
    yield found.page;
    offset = found.next;
  }
  function page(at: number) {
    return runner.run(pager.page(at), signal);
  }
};

/** The entries of the pages. */
export const ladderEntries = async function* <Entry>(
  pages: AsyncIterable<LadderPage<Entry>>,
): AsyncIterable<Entry> {
  for await (const page of pages) yield* page.entries;
};
