/**
 * Writes pages into a folder as a service sends them, in a process of its own: what making them
 * leaves in memory would be marked by each collection of the measured process.
 *
 * Usage: node makePages.ts FOLDER COUNT; page 1 is `1.gz`.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { pageText } from "./page.ts";

const [folder = ".", count = "1"] = process.argv.slice(2);
for (let page = 1; page <= Number(count); page += 1) {
  writeFileSync(join(folder, `${page}.gz`), gzipSync(pageText(page), { level: 1 }));
}
