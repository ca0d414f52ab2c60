/** A deployment that answers with a body of 600 MiB in 500 bytes costs the recorder its limit. */
import { readdirSync } from "node:fs";
import { makeBombs } from "@game-data/test-support";
import { expect, it } from "vitest";
import { recordedServer } from "./deployment.ts";

it("gives a body up that becomes larger than a page is, and writes nothing of it", async () => {
  const bombs = Object.entries(await makeBombs());
  let bomb = bombs[0]!;
  await using recorder = await recordedServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-encoding": bomb[0] });
    response.end(bomb[1]);
  });
  for (bomb of bombs) {
    const before = process.memoryUsage().rss;
    const response = await fetch(`${recorder.url}/profile`);
    expect([bomb[0], response.status]).toEqual([bomb[0], 502]);
    await response.body?.cancel();
    // The limit, and what the process needs for its pieces until they are collected.
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  }
  expect(recorder.lines).toHaveLength(bombs.length);
  for (const line of recorder.lines) expect(line).toContain("more than 67108864 bytes");
  await recorder.close();
  expect(readdirSync(recorder.folder)).toEqual([]);
});
