/** The memory of a follower and its indexer whose page is as large as the service may send. */
import { Redacted } from "effect";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { onEachDatabase } from "./support/hooks.ts";

const PEAK_BYTES = 0.65e9;
const SCRIPT = new URL("./support/largePage.ts", import.meta.url).pathname;

onEachDatabase((newStore) => {
  it("a follower and its indexer take a page of 30 MB with 100,000 changes in less than 0.65 GB", async () => {
    const store = newStore();
    const address = store.kind === "sqlite" ? `sqlite:${store.path}` : Redacted.value(store.url);
    const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, address]);
    const report = JSON.parse(stdout.trimEnd().split("\n").at(-1)!);
    expect(report).toMatchObject({ ended: "caughtUp", rows: 100_000, pages: 1 });
    // A lease that was lost on the way is taken again with a higher epoch.
    expect(report.epoch).toBe(1);
    expect(report.bytes).toBeGreaterThan(27e6);
    expect(report.peak).toBeGreaterThan(report.bytes);
    expect(report.peak).toBeLessThan(PEAK_BYTES);
  }, 600_000);
});
