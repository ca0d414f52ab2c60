/**
 * Names are as durable as bytes: a new file of JSON lines, and every new folder above it, survive a
 * power cut.
 */
import { Effect } from "effect";
import { fstatSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { SinkJsonl } from "../src/jsonl/index.ts";

const KEY = { source: "stashes", realm: "pc" } as const;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "names-"));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

/** The inodes that were synced, in order. */
const synced = async (work: Effect.Effect<unknown, unknown>): Promise<ReadonlyArray<number>> => {
  const handle = await open(folder, "r");
  const prototype = Object.getPrototypeOf(handle) as typeof handle;
  await handle.close();
  const inodes: Array<number> = [];
  for (const method of ["sync", "datasync"] as const) {
    const original = prototype[method];
    vi.spyOn(prototype, method).mockImplementation(function (this: typeof handle) {
      inodes.push(fstatSync(this.fd).ino);
      return original.call(this);
    });
  }
  await Effect.runPromise(work);
  vi.restoreAllMocks();
  return inodes;
};
const inodeOf = (path: string) => statSync(path).ino;

it("syncs the folder after the claim that makes the file, and the folders above it", async () => {
  const directory = join(folder, "deep", "log");
  const inodes = await synced(SinkJsonl.make({ directory }).claim(KEY, 1));
  const path = SinkJsonl.pathOf(directory, KEY);
  const wanted = [join(folder, "deep"), folder, path, directory].map(inodeOf);
  expect(inodes).toEqual(wanted);
});

it("syncs the folder of a file that it finds, too: who made it may have died too early", async () => {
  await Effect.runPromise(SinkJsonl.make({ directory: folder }).claim(KEY, 1));
  const inodes = await synced(SinkJsonl.make({ directory: folder }).claim(KEY, 2));
  expect(inodes).toEqual([SinkJsonl.pathOf(folder, KEY), folder].map(inodeOf));
});

it("says that a folder cannot be made where the file system makes none, and does not try for ever", async () => {
  // A folder of the kernel's: it is there, and making one in it is answered with ENOENT.
  const above = process.platform === "linux" ? "/proc" : join(folder, "\0");
  const claimed = SinkJsonl.make({ directory: join(above, "deep", "log") }).claim(KEY, 1);
  expect(await Effect.runPromise(Effect.flip(claimed))).toMatchObject({ _tag: "SinkError" });
});

it("takes a folder that is there as it is, and makes none where a file stands", async () => {
  const { writeFileSync } = await import("node:fs");
  writeFileSync(join(folder, "file"), "");
  const claim = (directory: string) => SinkJsonl.make({ directory }).claim(KEY, 1);
  await Effect.runPromise(claim(folder));
  expect(await Effect.runPromise(Effect.flip(claim(join(folder, "file", "log"))))).toMatchObject({
    _tag: "SinkError",
    operation: "claim",
  });
});
