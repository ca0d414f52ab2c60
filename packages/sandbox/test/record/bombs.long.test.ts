/** A deployment that answers with a body of 600 MiB in 500 bytes costs the recorder its limit. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeBombs } from "@game-data/test-support";
import { expect, it } from "vitest";
import { startRecorder } from "../../src/record/recorder.ts";

it("gives a body up that becomes larger than a page is, and writes nothing of it", async () => {
  const bombs = Object.entries(await makeBombs());
  let bomb = bombs[0]!;
  const deployment = createServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-encoding": bomb[0] });
    response.end(bomb[1]);
  });
  await new Promise<void>((resolve) => void deployment.listen(0, "127.0.0.1", resolve));
  const folder = mkdtempSync(join(tmpdir(), "record-bombs-"));
  const lines: Array<string> = [];
  const recorder = await startRecorder({
    upstream: `http://127.0.0.1:${(deployment.address() as AddressInfo).port}`,
    folder,
    onAnswer: (line) => lines.push(line),
  });
  for (bomb of bombs) {
    const before = process.memoryUsage().rss;
    const response = await fetch(`${recorder.url}/profile`);
    expect([bomb[0], response.status]).toEqual([bomb[0], 502]);
    await response.body?.cancel();
    // The limit, and what the process needs for its pieces until they are collected.
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  }
  expect(lines).toHaveLength(bombs.length);
  for (const line of lines) expect(line).toContain("more than 67108864 bytes");
  await recorder.close();
  expect(readdirSync(folder)).toEqual([]);
  await new Promise((resolve) => deployment.close(resolve));
  rmSync(folder, { recursive: true });
});
