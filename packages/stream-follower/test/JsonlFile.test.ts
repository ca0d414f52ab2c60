import { Effect } from "effect";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SinkJsonl } from "../src/jsonl/index.ts";
import { blockOf, claimLine, scan } from "../src/jsonl/schema.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "jsonl-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const block = (seq: bigint, line = '{"stash":1}') =>
  blockOf({ previousSeq: seq - 1n, epoch: 1 }, [line], {
    nextId: String(seq),
    seq,
    epoch: 1,
    checksum: "",
    receivedAt: 0,
  });
const standing = async (text: string) => {
  const path = join(folder, "file.jsonl");
  writeFileSync(path, text);
  const lines: Array<string> = [];
  const { checkpoint, end } = await scan(path, (found) => lines.push(...found));
  return { seq: checkpoint?.seq, end, lines };
};

describe("a file of JSON lines", () => {
  it("counts what is whole", async () => {
    const text = claimLine(1) + block(1n) + block(2n);
    expect(await standing(text)).toEqual({
      seq: 2n,
      end: text.length,
      lines: ['{"stash":1}', '{"stash":1}'],
    });
  });

  it("is cut back to what counts by a claim, so that the next block follows upon a whole line", async () => {
    const { appendFileSync, readFileSync } = await import("node:fs");
    const sink = SinkJsonl.make({ directory: folder });
    const key = { source: "stashes", realm: "pc" } as const;
    const path = SinkJsonl.pathOf(folder, key);
    const good = claimLine(1) + block(1n);
    writeFileSync(path, good);
    appendFileSync(path, block(2n).slice(0, -5));
    await Effect.runPromise(sink.claim(key, 2));
    expect(readFileSync(path, "utf8")).toBe(good + claimLine(2));
  });

  it("counts no block with a byte changed or a line lost, and nothing that stands on it", async () => {
    const good = claimLine(1) + block(1n);
    for (const bad of [
      block(2n).replace('{"stash":1}', '{"stash":2}'),
      block(2n).replace('{"stash":1}\n', ""),
    ]) {
      expect((await standing(good + bad)).end).toBe(good.length);
      expect((await standing(good + bad + block(3n))).seq).toBe(1n);
    }
  });
});
