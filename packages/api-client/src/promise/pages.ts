/**
 * Lists as async iterables, page by page and entry by entry.
 */
import type { PagedName, Requests } from "@game-data/contract/routes";
import type { GameApiService } from "../GameApiService.ts";
import { type EntryOf, type PageOf, type PageOptions, pagerOf } from "../operations/paging.ts";
import type { Runner } from "./Runner.ts";

/** The two methods of a paged operation. */
export const pagesOf = <Name extends PagedName>(
  api: GameApiService,
  runner: Runner,
  name: Name,
) => {
  const pages = async function* (
    request: Requests[Name] = {} as Requests[Name],
    options: PageOptions = {},
  ): AsyncIterable<PageOf<Name>> {
    const { signal } = options;
    const pager = await runner.run(pagerOf(api, name, request, options), signal);
    let offset: number | undefined = pager.first;
    while (offset !== undefined) {
      const found: Awaited<ReturnType<typeof read>> = await read(offset);
      if (found === null) return;
      yield found.page;
      offset = found.next;
    }
    function read(at: number) {
      return runner.run(pager.page(at), signal);
    }
  };
  const entries = async function* (
    request?: Requests[Name],
    options?: PageOptions,
  ): AsyncIterable<EntryOf<Name>> {
    for await (const page of pages(request, options)) yield* page.entries;
  };
  return { pages, entries };
};
