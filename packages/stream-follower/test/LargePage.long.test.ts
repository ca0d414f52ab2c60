/** The memory of a follower and its indexer whose page is as large as the service may send. */
import { describeWithService } from "@game-data/test-support";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { useCluster, useSchemas } from "./support/hooks.ts";

const PEAK_BYTES = 0.65e9;
const SCRIPT = new URL("./support/largePage.ts", import.meta.url).pathname;

const isBounded = (addressOf: () => string) =>
  it("takes a page of 30 MB with 100,000 changes in less than 0.65 GB", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, addressOf()]);
    const report = JSON.parse(stdout.trimEnd().split("\n").at(-1)!);
    expect(report).toMatchObject({ ended: "caughtUp", rows: 100_000, pages: 1 });
    // A lease that was lost on the way is taken again with a higher epoch.
    expect(report.epoch).toBe(1);
    expect(report.bytes).toBeGreaterThan(27e6);
    expect(report.peak).toBeGreaterThan(report.bytes);
    expect(report.peak).toBeLessThan(PEAK_BYTES);
  }, 120_000);

describe("a follower into SQLite", () => {
  const folder = mkdtempSync(join(tmpdir(), "large-page-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  isBounded(() => `sqlite:${join(folder, "pages.db")}`);
});

describeWithService("postgres", "a follower into PostgreSQL", (url) => {
  isBounded(useSchemas(url));
});

describeWithService("nats", "a follower into NATS", (program) => {
  const cluster = useCluster(program);
  isBounded(() => cluster.nextUrl());
});
