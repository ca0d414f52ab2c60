/** A real follower process that is told to stop. Kills and freezes, on each store: `chaos/main.ts`. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { check } from "../chaos/Check.ts";
import type { FollowerOrder } from "../chaos/follower.ts";
import { answerHistory, type FaultServer, startFaultServer } from "./support/FaultServer.ts";
import { makeHistory } from "./support/History.ts";

const PROGRAM = join(import.meta.dirname, "../chaos/follower.ts");
const TTL = 1500;

const cleanups: Array<() => unknown> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const start = (order: FollowerOrder) => {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(order)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output: Array<Buffer> = [];
  child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => output.push(chunk));
  const ended = new Promise<{ code: number | null; output: string }>((resolve) => {
    child.once("close", (code) => resolve({ code, output: Buffer.concat(output).toString() }));
  });
  cleanups.push(async () => {
    child.kill("SIGCONT");
    child.kill("SIGKILL");
    await ended;
  });
  return { child, ended };
};

const history = makeHistory({ pages: 160, stashPool: 60 });

/**
 * A history that grows by a page when its end was asked for, so that a follower is never done while
 * it is watched, however long processes take to start.
 */
const growing = async (): Promise<{ server: FaultServer; all: () => void }> => {
  let visible = 20;
  const server = await startFaultServer({ answer: answerHistory(history, () => visible) });
  const timer = setInterval(() => {
    const isEndAsked = server.seen.at(-1)?.id === history[visible]?.id;
    if (isEndAsked) visible = Math.min(history.length, visible + 1);
  }, 100);
  cleanups.push(
    () => server.close(),
    () => clearInterval(timer),
  );
  return {
    server,
    all: () => {
      visible = history.length;
    },
  };
};

const place = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "processes-"));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

const sqliteOrder = (server: string) => {
  const path = join(place(), "store.db");
  const order = { server, store: `sqlite:${path}`, until: "forever", leaseTtlMillis: TTL } as const;
  return { order, path };
};

const seqOf = (path: string): number => {
  try {
    const db = new DatabaseSync(path, { readOnly: true });
    const row = db.prepare("SELECT seq FROM checkpoint").get() as { seq: number } | undefined;
    db.close();
    return row?.seq ?? 0;
  } catch {
    return 0;
  }
};

const until = async (condition: () => boolean, millis = 20_000): Promise<void> => {
  const late = performance.now() + millis;
  while (!condition()) {
    if (performance.now() > late) throw new Error("waited too long");
    await sleep(25);
  }
};

const finish = async (order: FollowerOrder) => {
  const last = await start({ ...order, until: "caughtUp" }).ended;
  return { ...last, problems: await check(order.store, history) };
};

const stopped = (child: ChildProcess, signal: NodeJS.Signals) => child.kill(signal);

describe("a follower process", { timeout: 60_000 }, () => {
  it("ends with code 0 on SIGTERM, gives its lease back, and leaves nothing half-written", async () => {
    const { server, all } = await growing();
    const { order, path } = sqliteOrder(server.url);
    const one = start(order);
    await until(() => seqOf(path) > 5);
    const begun = performance.now();
    stopped(one.child, "SIGTERM");
    const { code, output } = await one.ended;
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(performance.now() - begun).toBeLessThan(5000);
    expect(output).toContain('"ended":"stopped"');
    const lease = new DatabaseSync(path);
    expect(lease.prepare("SELECT owner FROM lease").get()).toEqual({ owner: null });
    lease.close();
    all();
    expect(await finish(order)).toMatchObject({ code: 0, problems: [] });
  });
});
