/** Bodies of some hundred bytes that become 600 MiB: the follower stays within its bounds. */
import { type Bombs, makeBombs } from "@game-data/test-support";
import type { PageSource } from "../src/index.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { follow, tagOf } from "./support/Run.ts";

let bombs: Bombs;
beforeAll(async () => {
  bombs = await makeBombs();
}, 60_000);

const MEBIBYTE = 1_048_576;

/** Follows into a bomb, and gives the exit, the milliseconds of CPU of this thread, and memory. */
const meeting = async (name: keyof Bombs, codings?: PageSource.PageSourceService["codings"]) => {
  const body = Uint8Array.from(bombs[name]);
  const before = process.threadCpuUsage();
  const memory = process.memoryUsage.rss();
  const { exit } = await follow(
    {
      answer: () => ({ body, headers: { "content-encoding": name } }),
      ...(codings === undefined ? {} : { codings }),
    },
    { maxRetries: 0, badPageRetryDelays: [], maxPageBytes: 8 * MEBIBYTE },
  );
  const { system, user } = process.threadCpuUsage(before);
  return { tag: tagOf(exit), cpu: (system + user) / 1000, rss: process.memoryUsage.rss() - memory };
};

describe.each<[keyof Bombs, PageSource.PageSourceService["codings"], string]>([
  ["br", undefined, "DecompressError"],
  ["br", ["br"], "PageTooLarge"],
  ["deflate", undefined, "DecompressError"],
  ["deflate", ["deflate"], "PageTooLarge"],
  ["gzip", undefined, "PageTooLarge"],
])("a bomb in %s, where the source asks for %o", (name, codings, tag) => {
  it(`ends as ${tag}, off the thread that holds the lease`, async () => {
    // What else the machine does adds to the CPU that is counted: the best of three tries tells.
    let met = await meeting(name, codings);
    for (let tries = 1; tries < 3 && met.cpu >= 200; tries++) met = await meeting(name, codings);
    expect(met.tag).toBe(tag);
    expect(met.cpu).toBeLessThan(200);
    expect(met.rss).toBeLessThan(64 * MEBIBYTE);
  });
});
