/**
 * Three processes, six streams, PostgreSQL: each stream on one process, whatever happens to it. The
 * limit of a takeover grows with the time that the machine spends on other programs.
 */
import { describeWithService, freePort } from "@game-data/test-support";
import { PgClient } from "@effect/sql-pg";
import { Effect, Redacted } from "effect";
import * as Reactivity from "effect/reactivity/Reactivity";
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { checkStore } from "../chaos/check.ts";
import { endProcess } from "../chaos/Followers.ts";
import type { PlacedOrder } from "../chaos/placed.ts";
import { startPostgres } from "../chaos/Postgres.ts";
import * as StoreUrl from "../src/StoreUrl.ts";
import { answerHistory, startFaultServer } from "./support/FaultServer.ts";
import { makeHistory } from "./support/History.ts";
import { endWithUs } from "./support/watchdog.ts";
import { useCleanups } from "./support/hooks.ts";

const REALMS = ["console_a", "console_b", "pc"] as const;
const TAKEOVER_MILLIS = { SIGKILL: 10_000, SIGTERM: 2000, SIGSTOP: 15_000 } as const;
/** Long, because a busy machine may take a minute to start processes and to store their pages. */
const WAIT_MILLIS = 240_000;
const PROGRAM = join(import.meta.dirname, "../chaos/placed.ts");

const { cleanups } = useCleanups();

/** Measures how much longer work takes than its CPU time: 1 on an idle machine. */
const measureSlowdown = () => {
  let [wall, cpu] = [0, 0];
  const timer = setInterval(() => {
    const begun = performance.now();
    const before = process.cpuUsage();
    // Longer than a time slice of the scheduler, so that other programs run in between.
    while (performance.now() - begun < 8);
    const { system, user } = process.cpuUsage(before);
    wall += performance.now() - begun;
    cpu += (user + system) / 1000;
  }, 50);
  cleanups.push(() => clearInterval(timer));
  return () => (cpu === 0 ? 1 : Math.max(1, wall / cpu));
};

const until = async (what: string, isTrue: () => boolean | Promise<boolean>): Promise<void> => {
  const deadline = performance.now() + WAIT_MILLIS;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`does not happen: ${what}`);
    await sleep(50);
  }
};

/** A database for each store, a service whose streams grow, and three processes. */
const begin = async () => {
  const postgres = await startPostgres();
  if (postgres === undefined) throw new Error("PostgreSQL is not installed");
  cleanups.push(() => postgres.close());
  const names = ["one", "two"];
  await Effect.gen(function* () {
    const sql = yield* PgClient.make({ url: Redacted.make(postgres.url) });
    for (const name of names) yield* sql.unsafe(`CREATE DATABASE ${name}`);
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer), Effect.runPromise);
  const stores = names.map((name) => {
    const url = new URL(postgres.url);
    url.pathname = `/${name}`;
    return url.href;
  });
  let visible = 10;
  const growing = setInterval(() => (visible += 1), 500);
  cleanups.push(() => clearInterval(growing));
  const histories = new Map(
    REALMS.map((realm, index) => [realm, makeHistory({ pages: 4000, seed: index + 1 }, realm)]),
  );
  const server = await startFaultServer({
    answer: (seen) => answerHistory(histories.get(seen.realm as "pc")!, () => visible)(seen),
  });
  cleanups.push(() => server.close());
  /** Tasks by the process that began them last. */
  const owners = new Map<string, ChildProcess>();
  const launch = async () => {
    const order: PlacedOrder = {
      ...{ cluster: postgres.url, port: await freePort(), server: server.url, stores },
    };
    const child = spawn(process.execPath, [PROGRAM, JSON.stringify(order)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    cleanups.push(() => endProcess(endWithUs(child), "SIGKILL"));
    child.stdout.on("data", (chunk: Buffer) => {
      for (const [, task] of chunk.toString().matchAll(/^began (.+)$/gmu)) owners.set(task!, child);
    });
    return child;
  };
  const tasksOf = (child: ChildProcess) =>
    [...owners].filter(([, owner]) => owner === child).map(([task]) => task);
  const end = () => {
    clearInterval(growing);
    return new Map([...histories].map(([realm, pages]) => [realm, pages.slice(0, visible)]));
  };
  /** The newest page of each stream. */
  const heads = async () => {
    const found = new Map<string, number>();
    for (const [index, store] of stores.entries()) {
      const address = Effect.runSync(StoreUrl.parse(store));
      for (const { key, seq } of await Effect.runPromise(StoreUrl.statuses(address)))
        found.set(`${index}/${key.realm}`, Number(seq));
    }
    return found;
  };
  return { end, heads, launch, stores, tasksOf };
};

describeWithService("postgres", "followers that a cluster places", () => {
  it("a cluster moves followers after SIGKILL, SIGTERM and SIGSTOP, and loses or doubles no page", async () => {
    const { end, heads, launch, stores, tasksOf } = await begin();
    const processes = [await launch(), await launch(), await launch()];
    await until("two streams on each process", () =>
      processes.every((child) => tasksOf(child).length === 2),
    );
    await until("six streams deliver", async () => (await heads()).size === 6);
    for (const signal of ["SIGKILL", "SIGTERM", "SIGSTOP"] as const) {
      const victim = processes.shift()!;
      const moving = tasksOf(victim);
      expect(moving.length).toBeGreaterThan(0);
      const slowdown = measureSlowdown();
      const stoppedAt = performance.now();
      victim.kill(signal);
      const before = await heads();
      await until(`${signal}: its streams deliver`, async () => {
        if (tasksOf(victim).length > 0) return false;
        const now = await heads();
        return moving.every((task) => now.get(task)! > before.get(task)!);
      });
      const millis = performance.now() - stoppedAt;
      console.log(`${signal}: ${Math.round(millis)} ms, slowdown ${slowdown().toFixed(1)}`);
      expect(millis / slowdown()).toBeLessThanOrEqual(TAKEOVER_MILLIS[signal]);
      victim.kill("SIGCONT");
      processes.push(signal === "SIGSTOP" ? victim : await launch());
      await until("two streams on each process again", () =>
        processes.every((child) => tasksOf(child).length === 2),
      );
    }
    const histories = end();
    await until("every page is stored", async () => {
      const wanted = histories.get("pc")!.length;
      return [...(await heads()).values()].every((head) => head === wanted);
    });
    for (const store of stores)
      for (const [realm, history] of histories)
        expect(await checkStore(store, history, realm)).toEqual([]);
  }, 900_000);
});
