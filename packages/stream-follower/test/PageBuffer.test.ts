import { Effect } from "effect";
import { describe, expect, it } from "vitest";
import type { PageCommit } from "../src/Model.ts";
import { PageBuffer } from "../src/core/PageBuffer.ts";

const pageOf = (bytes: number) => ({ page: { raw: new Uint8Array(bytes) } }) as PageCommit;
const hasRoom = (buffer: PageBuffer) => Effect.runFork(buffer.room).pollUnsafe() !== undefined;

describe("pages between the reader and the sink", () => {
  it("leave no room for more while a large one is being written, and all of it afterwards", async () => {
    const buffer = new PageBuffer(4, 100);
    for (let round = 0; round < 3; round += 1) {
      expect(hasRoom(buffer)).toBe(true);
      buffer.put(pageOf(100));
      expect(hasRoom(buffer)).toBe(false);
      expect(await Effect.runPromise(buffer.take)).toHaveLength(1);
      expect(hasRoom(buffer)).toBe(false);
      buffer.written();
    }
    expect(hasRoom(buffer)).toBe(true);
  });

  it("leave room for more as soon as they are taken, where they are small", async () => {
    const buffer = new PageBuffer(2, 100);
    for (const isRoom of [true, false]) {
      buffer.put(pageOf(1));
      expect(hasRoom(buffer)).toBe(isRoom);
    }
    expect(await Effect.runPromise(buffer.take)).toHaveLength(2);
    expect(hasRoom(buffer)).toBe(true);
  });
});
