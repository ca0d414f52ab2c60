/** Bodies of some hundred bytes that become 600 MiB: the follower stays within its bounds. */
import { type Bombs, cpuOf, makeBombs } from "@game-data/test-support";
import type { PageSource } from "../src/index.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { follow, tagOf } from "./support/Run.ts";

let bombs: Bombs;
beforeAll(async () => {
  bombs = await makeBombs();
});

const MEBIBYTE = 1_048_576;

/** Follows into a bomb, and gives the exit and the growth of the memory. */
const meeting = async (name: keyof Bombs, codings?: PageSource.PageSourceService["codings"]) => {
  const body = Uint8Array.from(bombs[name]);
  const memory = process.memoryUsage.rss();
  const { exit } = await follow(
    {
      answer: () => ({ body, headers: { "content-encoding": name } }),
      ...(codings === undefined ? {} : { codings }),
    },
    { maxRetries: 0, badPageRetryDelays: [], maxPageBytes: 8 * MEBIBYTE },
  );
  return { tag: tagOf(exit), rss: process.memoryUsage.rss() - memory };
};

describe.each<[keyof Bombs, PageSource.PageSourceService["codings"], string]>([
  ["br", undefined, "DecompressError"],
  ["br", ["br"], "PageTooLarge"],
  ["deflate", undefined, "DecompressError"],
  ["deflate", ["deflate"], "PageTooLarge"],
  ["gzip", undefined, "PageTooLarge"],
])("a bomb in %s, if the source accepts %o", (name, codings, tag) => {
  it(`a ${name} compression bomb fails with ${tag}, and does not block the thread that renews the lease`, async () => {
    const run = () => meeting(name, codings);
    const { millis, value } = await cpuOf(200, run, process.threadCpuUsage);
    expect(value.tag).toBe(tag);
    expect(millis).toBeLessThan(200);
    expect(value.rss).toBeLessThan(64 * MEBIBYTE);
  });
});
