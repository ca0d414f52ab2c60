/** Two processes on one store: every increment that one of them reports is in the store. */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describeWithService } from "@game-data/test-support";
import { assert, it } from "vitest";
import { openStore } from "../chaos/stores.ts";

/** A process that adds to a counter, and says how often. */
const increment = async (...args: ReadonlyArray<string>): Promise<string> => {
  const path = join(import.meta.dirname, "../chaos/increment.ts");
  return (await promisify(execFile)(process.execPath, [path, ...args])).stdout;
};

/** What two processes report, and what the store then holds. */
const incrementTwice = async (address: string) => {
  const key = `increments ${crypto.randomUUID()}`;
  const outputs = await Promise.all(Array.from({ length: 2 }, () => increment(address, key, "50")));
  const store = await openStore(address);
  const total = (await store.read(key))?.text;
  await store.close();
  return [...outputs.map(Number), total];
};

const expected = [50, 50, "100"];

it("a file store counts every increment of two processes", async () => {
  const folder = await mkdtemp(join(tmpdir(), "token-increments-"));
  assert.deepStrictEqual(await incrementTwice(`file:${folder}`), expected);
  await rm(folder, { recursive: true });
});

for (const service of ["redis", "postgres"] as const)
  describeWithService(service, `a store in ${service}`, (url) => {
    it("counts every increment of two processes", async () => {
      assert.deepStrictEqual(await incrementTwice(url), expected);
    });
  });
