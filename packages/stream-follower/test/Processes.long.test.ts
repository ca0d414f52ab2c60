/** Real follower processes: told to stop, killed, frozen longer than their lease. */
import { describeWithService } from "@game-data/test-support";
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

  it("goes on after SIGKILL from its last commit, each page applied once", async () => {
    const { server, all } = await growing();
    const { order, path } = sqliteOrder(server.url);
    for (let round = 0; round < 3; round += 1) {
      const before = seqOf(path);
      const one = start(order);
      await until(() => seqOf(path) > before + 3);
      stopped(one.child, "SIGKILL");
      await one.ended;
    }
    all();
    expect(await finish(order)).toMatchObject({ code: 0, problems: [] });
  });

  it("frozen longer than its lease, writes nothing when it wakes: another has taken over", async () => {
    const { server, all } = await growing();
    const { order, path } = sqliteOrder(server.url);
    const zombie = start(order);
    await until(() => seqOf(path) > 5);
    stopped(zombie.child, "SIGSTOP");
    const frozenAt = seqOf(path);
    const heir = start(order);
    await until(() => seqOf(path) > frozenAt + 5, 15_000);
    stopped(zombie.child, "SIGCONT");
    const wokenAt = seqOf(path);
    await until(() => seqOf(path) > wokenAt + 10);
    expect(heir.child.exitCode).toBe(null);
    const db = new DatabaseSync(path, { readOnly: true });
    expect(db.prepare("SELECT epoch FROM checkpoint").get()).toEqual({ epoch: 2 });
    db.close();
    stopped(heir.child, "SIGKILL");
    stopped(zombie.child, "SIGKILL");
    all();
    expect(await finish(order)).toMatchObject({ code: 0, problems: [] });
  });
});

describeWithService("postgres", "follower processes on PostgreSQL", (url) => {
  it(
    "hand over to each other through a freeze and a kill with zero stale writes",
    { timeout: 60_000 },
    async () => {
      const { server, all } = await growing();
      const name = `processes_${crypto.randomUUID().slice(0, 8)}`;
      const { PgClient } = await import("@effect/sql-pg");
      const { Effect, Redacted } = await import("effect");
      const Reactivity = await import("effect/reactivity/Reactivity");
      const admin = (statement: string) =>
        Effect.gen(function* () {
          const sql = yield* PgClient.make({ url: Redacted.make(url) });
          return yield* sql.unsafe<{ seq: number }>(statement);
        }).pipe(Effect.scoped, Effect.provide(Reactivity.layer), Effect.runPromise);
      await admin(`CREATE DATABASE ${name}`);
      const target = new URL(url);
      target.pathname = `/${name}`;
      const order: FollowerOrder = {
        server: server.url,
        store: target.href,
        until: "forever",
        leaseTtlMillis: TTL,
      };
      const zombie = start(order);
      await sleep(2500);
      stopped(zombie.child, "SIGSTOP");
      const heir = start(order);
      await sleep(2 * TTL + 1500);
      stopped(zombie.child, "SIGCONT");
      await sleep(1500);
      stopped(heir.child, "SIGKILL");
      await sleep(2 * TTL);
      stopped(zombie.child, "SIGTERM");
      const { code, output } = await zombie.ended;
      expect({ code, output }).toMatchObject({ code: 0 });
      all();
      expect(await finish(order)).toMatchObject({ code: 0, problems: [] });
      await admin(`DROP DATABASE ${name} WITH (FORCE)`);
    },
  );
});
