import { once as nextOf } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import type { salvage } from "../src/salvage.ts";

it("salvage keeps no reject in memory: a million of them are visited in 64 MB", async () => {
  const work = async (module: string) => {
    const { salvage: read } = (await import(module)) as { salvage: typeof salvage };
    const items: unknown = JSON.parse(`[${"1,".repeat(999_999)}1]`);
    const change = { id: "a", public: true, stashType: "x", items };
    for (const { rejects } of read({ next_change_id: "1", stashes: [change] }, { grain: "item" }))
      for (const { pointer } of rejects)
        if (pointer === "/stashes/0/items/999999" && rejects.length === 1_000_000)
          process.exitCode = 7;
  };
  const module = JSON.stringify(new URL("../src/salvage.ts", import.meta.url).href);
  const resourceLimits = { maxOldGenerationSizeMb: 64 };
  const worker = new Worker(`(${work})(${module})`, { eval: true, resourceLimits });
  expect(await nextOf(worker, "exit")).toEqual([7]);
}, 60_000);
