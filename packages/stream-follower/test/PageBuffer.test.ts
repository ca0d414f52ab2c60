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
});
