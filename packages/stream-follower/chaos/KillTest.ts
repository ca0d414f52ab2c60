/**
 * Kills and freezes two followers of one store, and makes the store unavailable. After each outage
 * more pages appear, and every process must soon say what is true.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { answerHistory, type Fault, startFaultServer } from "../test/support/FaultServer.ts";
import { makeHistory, random } from "../test/support/History.ts";
import { checkStore } from "./check.ts";
import type { FollowerOrder } from "./follower.ts";
import { endProcess, type Follower, startFollower, startProgram, waitForEnd } from "./Followers.ts";
import { LIMIT_MILLIS, StatusChecker } from "./StatusChecker.ts";
import { type OwnStore, startStore, type StoreKind } from "./Stores.ts";

const LEASE_TTL_MILLIS = 1500;
const PAGES_PER_OUTAGE = 6;
const FIRST_PAGES = 10;
const FAULT_RATE = 0.15;
const OBSERVE_EVERY_MILLIS = 400;
const LONG_OUTAGE_MILLIS = 120_000;
const LAST_RUN_MILLIS = 150_000;

/** Options of a run. */
export interface KillTestOptions {
  readonly store: StoreKind;
  /** Kills and freezes of followers. */
  readonly kills: number;
  /** Outages of the store, spread over the kills. */
  readonly storeOutages: number;
  readonly seed: number;
  /** Whether the last outage of the store lasts two minutes. */
  readonly isLong: boolean;
}

/** Result of a run. */
export interface KillTestResult {
  readonly test: string;
  /** Number of outages by their names. */
  readonly outages: Readonly<Record<string, number>>;
  readonly pages: number;
  readonly requests: number;
  readonly faults: number;
  /** Rounds of statuses that were compared. */
  readonly rounds: number;
  readonly slowestStatusMillis: number;
  readonly problems: ReadonlyArray<string>;
}

const FAULTS: ReadonlyArray<Fault> = [
  { kind: "status", status: 503 },
  { kind: "status", status: 500 },
  { kind: "status", status: 429, headers: { "retry-after": "0" } },
  { kind: "reset" },
  { kind: "cut", at: 0.3 },
  { kind: "cut", at: 0.9 },
  { kind: "wrongLength" },
  { kind: "corruptGzip" },
  { kind: "malformed", keepHead: true },
];

/** Runs the test over one store. Returns `undefined` if its server is not installed. */
export const runKillTest = async (
  options: KillTestOptions,
): Promise<KillTestResult | undefined> => {
  const folder = mkdtempSync(join(tmpdir(), "chaos-"));
  const store = await startStore(options.store, folder);
  if (store === undefined) return undefined;
  const history = makeHistory({
    pages: FIRST_PAGES + (options.kills + options.storeOutages) * PAGES_PER_OUTAGE,
    seed: options.seed,
    stashesPerPage: 50,
    itemsPerStash: 12,
    stashPool: 300,
  });
  // A generator of its own, because the number of requests depends on the machine.
  const nextFault = random(options.seed + 1_000_000);
  let faults = 0;
  const scene: Scene = { ...newScene(store, options.seed), order: undefined! };
  const server = await startFaultServer({
    answer: answerHistory(history, () => scene.pages),
    latencyMillis: 4,
    fault: () => {
      if (nextFault() >= FAULT_RATE) return undefined;
      faults += 1;
      return FAULTS[Math.floor(nextFault() * FAULTS.length)];
    },
  });
  const order = { server: server.url, store: store.address, leaseTtlMillis: LEASE_TTL_MILLIS };
  scene.order = { ...order, until: "forever" };
  const outages = await play(scene, options);
  const last = startProgram("follower.ts", { ...order, until: "caughtUp" });
  const problems = [
    ...scene.checker.problems,
    ...(await waitForEnd("the last follower", last, LAST_RUN_MILLIS)),
    ...(await checkStore(store.address, history)),
  ];
  await server.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  const { rounds, slowestMillis } = scene.checker;
  return {
    test: options.store,
    outages,
    pages: history.length,
    requests: server.seen.length,
    faults,
    rounds,
    slowestStatusMillis: slowestMillis,
    problems,
  };
};

/** The processes, their store, and what is true of both. */
interface Scene {
  readonly store: OwnStore;
  readonly checker: StatusChecker;
  readonly dice: () => number;
  readonly followers: Map<string, Follower>;
  readonly frozen: Set<string>;
  order: FollowerOrder;
  pages: number;
  isStoreAvailable: boolean;
  /** Time of the last change; `Infinity` while a change is under way. */
  changedAt: number;
  cause: string;
  isOver: boolean;
}

const newScene = (store: OwnStore, seed: number): Omit<Scene, "order"> => ({
  store,
  checker: new StatusChecker(),
  dice: random(seed),
  followers: new Map(),
  frozen: new Set(),
  pages: FIRST_PAGES,
  isStoreAvailable: true,
  changedAt: 0,
  cause: "the start",
  isOver: false,
});

/** Runs every outage. Returns how many there were by their names. */
const play = async (scene: Scene, { isLong, kills, storeOutages }: KillTestOptions) => {
  const outages: Record<string, number> = {};
  const count = (name: string) => (outages[name] = (outages[name] ?? 0) + 1);
  await Promise.all(["one", "two"].map((name) => launch(scene, name)));
  const observing = observe(scene);
  await settle(scene);
  const every = Math.max(1, Math.floor(kills / Math.max(1, storeOutages)));
  let storeOutage = 0;
  for (let kill = 1; kill <= kills; kill += 1) {
    count(await (scene.dice() < 0.75 ? killFollower(scene) : freezeFollower(scene)));
    if (kill % every !== 0 || storeOutage >= storeOutages) continue;
    storeOutage += 1;
    count(await interruptStore(scene, isLong && storeOutage === storeOutages));
  }
  scene.isOver = true;
  await observing;
  await Promise.all([...scene.followers.values()].map(({ child }) => endProcess(child, "SIGKILL")));
  return outages;
};

const chooseFollower = ({ dice, followers }: Scene) => followers.get(dice() < 0.5 ? "one" : "two")!;

const killFollower = async (scene: Scene): Promise<string> => {
  const { child, name } = chooseFollower(scene);
  scene.cause = `SIGKILL of ${name}`;
  scene.followers.delete(name);
  changed(scene, PAGES_PER_OUTAGE);
  await endProcess(child, "SIGKILL");
  // Sometimes the other follower has to take over first.
  if (scene.dice() < 0.3) await settle(scene);
  await launch(scene, name);
  if (scene.dice() < 0.7) await settle(scene);
  return "SIGKILL of a follower";
};

const freezeFollower = async (scene: Scene): Promise<string> => {
  const { child, name } = chooseFollower(scene);
  scene.cause = `SIGSTOP of ${name}`;
  scene.frozen.add(name);
  child.kill("SIGSTOP");
  changed(scene, PAGES_PER_OUTAGE);
  if (scene.dice() < 0.5) await settle(scene);
  else await sleep(scene.dice() * LEASE_TTL_MILLIS * 2);
  child.kill("SIGCONT");
  scene.frozen.delete(name);
  changed(scene);
  await settle(scene);
  return "SIGSTOP of a follower";
};

const interruptStore = async (scene: Scene, isLong: boolean): Promise<string> => {
  const { faults } = scene.store;
  const fault = faults[Math.floor(scene.dice() * faults.length)]!;
  scene.cause = fault.name;
  scene.changedAt = Infinity;
  await fault.begin();
  scene.isStoreAvailable = false;
  changed(scene, PAGES_PER_OUTAGE);
  await settle(scene);
  if (isLong) await sleep(LONG_OUTAGE_MILLIS);
  scene.changedAt = Infinity;
  await fault.end();
  scene.isStoreAvailable = true;
  changed(scene);
  await settle(scene);
  return isLong ? `${fault.name} for two minutes` : fault.name;
};

const launch = async (scene: Scene, name: string): Promise<void> => {
  scene.followers.set(name, await startFollower(name, scene.order));
  changed(scene);
};

/** Records a change of what is true, and lets more pages appear. */
const changed = (scene: Scene, pages = 0): void => {
  scene.pages += pages;
  scene.changedAt = Date.now();
};

const expected = ({ changedAt, followers, frozen, isStoreAvailable, pages }: Scene) => {
  const running = [...followers.keys()].filter((name) => !frozen.has(name));
  return { changedAt, isStoreAvailable, pages, running };
};

/** Waits until every status is true, and reports those that are not in time. */
const settle = async (scene: Scene): Promise<void> => {
  while (!scene.checker.isSettled(expected(scene))) {
    if (Date.now() - scene.changedAt > LIMIT_MILLIS) return scene.checker.reportOpen(scene.cause);
    await sleep(50);
  }
};

/** Compares the statuses until the test is over. */
const observe = async (scene: Scene): Promise<void> => {
  while (!scene.isOver) {
    const running = expected(scene).running.map((name) => scene.followers.get(name)!);
    const round = await Promise.all(running.map((follower) => follower.observe()));
    scene.checker.compare(expected(scene), round, scene.cause);
    for (const { child, errors, name } of scene.followers.values())
      if (child.exitCode !== null)
        scene.checker.report(`${name} ended with ${child.exitCode}: ${errors()}`, scene.cause);
    await sleep(OBSERVE_EVERY_MILLIS);
  }
};
