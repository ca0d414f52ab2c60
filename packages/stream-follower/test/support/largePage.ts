/**
 * Follows one page of some 30 MB with 100,000 changes into a store, in a process of its own, and
 * prints what it took: `ADDRESS`.
 */
import { Effect } from "effect";
import { once } from "node:events";
import { buffer } from "node:stream/consumers";
import { createGzip } from "node:zlib";
import { Follower, PageSource } from "../../src/index.ts";
import * as StoreUrl from "../../src/StoreUrl.ts";

const [address = ""] = process.argv.slice(2);
const CHANGES = 100_000;

const change = (place: number) =>
  JSON.stringify({
    ...{ id: String(place).padStart(64, "0"), public: true, accountName: `Exile#${place % 4000}` },
    ...{ stash: `~price ${place} chaos`, stashType: "PremiumStash", league: "Standard" },
    items: [{ id: place.toString(16).padStart(64, "0"), ilvl: place % 100, note: "~b/o 1 exa" }],
  });
/** Written piece by piece, so that the page is what takes the memory. */
const zip = createGzip({ level: 1 });
const zipped = buffer(zip);
let bytes = 0;
const write = async (text: string) => {
  bytes += text.length;
  if (!zip.write(text)) await once(zip, "drain");
};
await write('{"next_change_id":"1","stashes":[');
for (let place = 0; place < CHANGES; place += 1) {
  await write(`${place === 0 ? "" : ","}${change(place)}`);
}
zip.end("]}");
const wire = await zipped;
const tail = Buffer.from('{"next_change_id":"1","stashes":[]}');
const before = process.resourceUsage().maxRSS * 1024;

const source: PageSource.PageSourceService = {
  open: ({ id }) =>
    Effect.succeed({
      status: 200,
      headers: id === undefined ? { "content-encoding": "gzip" } : {},
      body: (async function* () {
        yield id === undefined ? wire : tail;
      })(),
    }),
};

const url = Effect.runSync(StoreUrl.parse(address));
const summary = await Effect.runPromise(
  Follower.run({ source: "stashes", until: "caughtUp" }).pipe(
    Effect.provide(StoreUrl.layer(url, { keepBytes: 200e6 })),
    Effect.provideService(PageSource.PageSource, source),
  ),
);
const key = { source: "stashes", realm: "pc" } as const;
await Effect.runPromise(StoreUrl.indexState(url, { key, until: "caughtUp" }));
const { epoch } = await Effect.runPromise(StoreUrl.statusOf(key, url));
const peak = process.resourceUsage().maxRSS * 1024;
const { ended, pages, rows } = summary;
console.log(JSON.stringify({ bytes, before, peak, ended, epoch, pages, rows }));
