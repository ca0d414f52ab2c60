/**
 * Holds the tour's counts on a folder of captured answers against counts of its own.
 *
 * `GAME_DATA_WIRE_SAMPLES=DIR pnpm --filter @game-data/tour samples`. Captured answers are not part
 * of this repository.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { comparisonsIn, runTour } from "../test/support/runTour.ts";

const folder = process.env["GAME_DATA_WIRE_SAMPLES"] ?? "";
if (folder === "") throw new Error("GAME_DATA_WIRE_SAMPLES names no folder");

const read = (path: string) => JSON.parse(readFileSync(join(folder, path), "utf8"));
const manifest: Array<{ file: string; kind: string; records: number }> = read("manifest.json");
const bodies = manifest.map(({ file }) => read(file));
const links: Array<{ status: string; outside_specification?: true }> = read("tree-links.json");

const last = new Map<string, { public: boolean; items: Array<unknown> }>();
const pages = bodies.filter((body) => body.next_change_id !== undefined && body.stashes);
for (const page of pages) for (const change of page.stashes) last.set(change.id, change);
const listed = [...last.values()].filter((change) => change.public);
const hours = bodies.filter((body) => body.markets);
const exact = links.filter((link) => link.status === "exact" && !link.outside_specification);
const sum = (counts: Array<number>) => counts.reduce((a, b) => a + b, 0);
const NO_RECORDS = new Set(["ItemFilter.filter", "RateLimitHeaders", "Error"]);

const expected: Record<string, number> = {
  "characters listed": bodies.find((body) => body.characters).characters.length,
  "tabs listed": bodies.find((body) => body.stashes && !body.next_change_id).stashes.length,
  "tabs with items": bodies.filter((body) => body.stash).length,
  "items in tabs": sum(bodies.flatMap((body) => (body.stash ? [body.stash.items.length] : []))),
  leagues: sum(
    bodies.flatMap((body) =>
      body.leagues ? [body.leagues.filter((one: { event?: true }) => !one.event).length] : [],
    ),
  ),
  changes: sum(pages.map((page) => page.stashes.length)),
  "stashes listed": listed.length,
  "items in stashes": sum(listed.map((change) => change.items.length)),
  hours: hours.length,
  markets: sum(hours.map((hour) => hour.markets.length)),
  records: sum(manifest.flatMap(({ kind, records }) => (NO_RECORDS.has(kind) ? [] : [records]))),
  "links read exactly": exact.length,
  "links rejected": links.length - exact.length,
};

const { err, exit, out } = await runTour(["--replay", folder]);
process.stderr.write(err);
const counts = comparisonsIn(out);
let differing = exit === 0 ? 0 : 1;
for (const [name, count] of Object.entries(expected)) {
  const tour = counts[name]?.[0];
  if (tour !== count) differing += 1;
  console.log(`${tour === count ? "same" : "DIFFERENT"}  ${name}: tour ${tour}, files ${count}`);
}
process.exit(differing === 0 ? 0 : 1);
