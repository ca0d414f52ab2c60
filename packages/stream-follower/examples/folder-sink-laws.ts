/**
 * The laws of a sink, over the folder of `folder-sink.ts`. In a test runner each is a test:
 * `it.each(laws)("$name", ({ run }) => run())`.
 *
 * Run it: node examples/folder-sink-laws.ts
 */
import { sinkLaws } from "@game-data/stream-follower/testing";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { entriesOf, folderSink } from "./folder-sink.ts";

const laws = sinkLaws(async () => {
  const folder = mkdtempSync(join(tmpdir(), "folder-sink-"));
  const last = (of: "stashes" | "markets") =>
    new Map<string, string | null>([...entriesOf(folder)].flatMap((entry) => entry[of] ?? []));
  return {
    sink: folderSink(folder),
    again: async () => folderSink(folder),
    stashes: async () => last("stashes"),
    markets: async () => last("markets").size,
    close: async () => rmSync(folder, { recursive: true }),
  };
});

for (const { name, run } of laws) {
  await run();
  console.log(`ok: ${name}`);
}
