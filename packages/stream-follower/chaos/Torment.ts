/**
 * One store of the kill test under two followers: each outage is followed by pages, and by the
 * wait until every process says what is so.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  answerHistory,
  type Fault,
  type FaultServer,
  startFaultServer,
} from "../test/support/FaultServer.ts";
import { makeHistory, type MadePage, random } from "../test/support/History.ts";
import { check } from "./Check.ts";
import { checkConsumers, ordersOf, settleConsumers, startConsumer } from "./Consumers.ts";
import type { FollowerOrder } from "./follower.ts";
import { endChild, followToEnd, type FollowerProcess, startFollower } from "./Followers.ts";
import { LIMIT_MILLIS, Oracle, type Truth } from "./Oracle.ts";
import { type Deed, type OwnStore, startStore, type StoreKind } from "./Stores.ts";

const LEASE_TTL_MILLIS = 1500;
const PAGES_PER_OUTAGE = 6;
const FAULT_RATE = 0.2;
const LOOK_EVERY_MILLIS = 400;
const LONG_MILLIS = 120_000;
/** Time in which servers that were killed or frozen have a leader again. */
const STORE_MILLIS = 120_000;

/** What one store went through. */
export interface Outcome {
  readonly store: StoreKind;
  /** Number of outages of each kind. */
  readonly outages: Readonly<Record<string, number>>;
  readonly pages: number;
  readonly requests: number;
  readonly faults: number;
  /** Rounds of looks that were compared with the truth. */
  readonly rounds: number;
  /** Longest time until all that was said was true, in milliseconds. */
  readonly slowestMillis: number;
  readonly problems: ReadonlyArray<string>;
  readonly seconds: number;
}

/** How the test goes. */
export interface TormentOptions {
  readonly store: StoreKind;
  readonly outages: number;
  readonly seed: number;
  /** Whether one of them lasts two minutes. */
  readonly isLong: boolean;
  /** Only what is done to the store, and only deeds with this text in their names. */
  readonly only?: string | undefined;
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

/** Torments one store; a sentence where it cannot be started. */
export const torment = async (options: TormentOptions): Promise<Outcome | string> => {
  const begun = performance.now();
  const dice = random(options.seed);
  const folder = mkdtempSync(join(tmpdir(), "chaos-"));
  const store = await startStore(options.store, folder, dice);
  if (typeof store === "string") return store;
  const counts = { faults: 0, outages: {} as Record<string, number> };
  const history = makeHistory({
    pages: 10 + options.outages * PAGES_PER_OUTAGE,
    seed: options.seed,
    stashesPerPage: 50,
    itemsPerStash: 12,
    stashPool: 300,
  });
  const { only } = options;
  const deeds = store.deeds.filter(({ name }) => only === undefined || name.includes(only));
  const scene = new Scene({ ...store, deeds }, folder, dice, history);
  // Dice of their own: how often the server is asked depends on the machine.
  const faultDice = random(options.seed + 1_000_000);
  const server = await startFaultServer({
    answer: answerHistory(history, () => scene.pages),
    latencyMillis: 4,
    fault: () => {
      if (faultDice() >= FAULT_RATE) return undefined;
      counts.faults += 1;
      return FAULTS[Math.floor(faultDice() * FAULTS.length)];
    },
  });
  const problems = [...(await scene.play(server, options, counts.outages))];
  await server.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  return {
    store: options.store,
    outages: counts.outages,
    pages: history.length,
    requests: server.seen.length,
    faults: counts.faults,
    rounds: scene.oracle.rounds,
    slowestMillis: Math.max(0, ...scene.oracle.waits),
    problems,
    seconds: Math.round((performance.now() - begun) / 1000),
  };
};

/** The processes, the store, and the truth about both. */
class Scene {
  readonly oracle = new Oracle();
  /** Pages that the service has. */
  pages = 10;
  private readonly followers = new Map<string, FollowerProcess>();
  private readonly frozen = new Set<string>();
  private isStoreThere = true;
  private changedAt = 0;
  private deed = "the start";
  private readonly store: OwnStore;
  private readonly folder: string;
  private readonly dice: () => number;
  private readonly history: ReadonlyArray<MadePage>;
  constructor(
    store: OwnStore,
    folder: string,
    dice: () => number,
    history: ReadonlyArray<MadePage>,
  ) {
    this.store = store;
    this.folder = folder;
    this.dice = dice;
    this.history = history;
  }

  /** All outages, and the comparison of the store in the end. */
  async play(
    server: FaultServer,
    { isLong, only, outages }: TormentOptions,
    counts: Record<string, number>,
  ): Promise<ReadonlyArray<string>> {
    const order: FollowerOrder = {
      server: server.url,
      store: this.store.url,
      until: "forever",
      leaseTtlMillis: LEASE_TTL_MILLIS,
    };
    const consumers = this.store.kind === "nats" ? ordersOf(this.store.url, this.folder) : [];
    const readers = consumers.map((one) => startConsumer(one));
    await Promise.all(["one", "two"].map((name) => this.launch(name, order)));
    const watching = this.watch();
    await this.settle();
    for (let outage = 0; outage < outages; outage += 1) {
      if (readers.length > 0 && this.dice() < 0.3) {
        const which = Math.floor(this.dice() * readers.length);
        await endChild(readers[which]!, "SIGKILL");
        readers[which] = startConsumer(consumers[which]!);
      }
      const isLast = outage === outages - 1;
      const long =
        isLong && isLast ? this.store.deeds.findLast(({ takesAway }) => takesAway) : undefined;
      const kind = await (long === undefined
        ? this.outage(order, only !== undefined)
        : this.twoMinutes(long));
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
    this.isOver = true;
    await watching;
    const children = [...this.followers.values()].map(({ child }) => child).concat(readers);
    await Promise.all(children.map((child) => endChild(child, "SIGKILL")));
    const problems = [...this.oracle.problems, ...(await followToEnd(order))];
    problems.push(...(await check(order.store, this.history)));
    if (consumers.length === 0) return problems;
    problems.push(...(await settleConsumers(consumers)));
    return [...problems, ...checkConsumers(consumers, this.history)];
  }

  /** One outage of a process or of the store, by the dice; its name. */
  private async outage(order: FollowerOrder, isOfStore: boolean): Promise<string> {
    const name = this.dice() < 0.5 ? "one" : "two";
    const follower = this.followers.get(name)!;
    const roll = isOfStore ? 1 : this.dice();
    if (roll < 0.3) {
      this.deed = `SIGKILL of ${name}`;
      await follower.kill();
      this.followers.delete(name);
      this.changed(PAGES_PER_OUTAGE);
      // Sometimes the other one has to take over first.
      if (this.dice() < 0.5) await this.settle();
      await this.launch(name, order);
      await this.settle();
      return "SIGKILL of a follower";
    }
    if (roll < 0.5) {
      this.deed = `SIGSTOP of ${name}`;
      follower.child.kill("SIGSTOP");
      this.frozen.add(name);
      this.changed(PAGES_PER_OUTAGE);
      if (this.dice() < 0.5) await this.settle();
      else await sleep(this.dice() * LEASE_TTL_MILLIS * 2);
      follower.child.kill("SIGCONT");
      this.frozen.delete(name);
      this.changed();
      await this.settle();
      return "SIGSTOP of a follower";
    }
    const deed = this.store.deeds[Math.floor(this.dice() * this.store.deeds.length)]!;
    const isShort = this.dice() < 0.3;
    return this.storeOutage(deed, () => (isShort ? sleep(this.dice() * 1500) : this.settle()));
  }

  private async storeOutage(deed: Deed, meanwhile: () => Promise<unknown>): Promise<string> {
    this.deed = deed.name;
    await deed.begin();
    this.isStoreThere = !deed.takesAway;
    this.changed(PAGES_PER_OUTAGE);
    await meanwhile();
    // From here on nobody knows when exactly it is there again.
    this.changedAt = Infinity;
    await deed.end();
    this.isStoreThere = true;
    this.changed();
    await this.settle();
    return deed.name;
  }

  /** The store is away for two minutes, and said to be so all the time. */
  private async twoMinutes(deed: Deed): Promise<string> {
    await this.storeOutage(deed, () => sleep(LONG_MILLIS).then(() => this.settle()));
    return `${deed.name} for two minutes`;
  }

  private async launch(name: string, order: FollowerOrder): Promise<void> {
    const follower = startFollower(name, order);
    await follower.up;
    this.followers.set(name, follower);
    this.changed();
  }

  /** The truth has changed, and more pages may be there. */
  private changed(pages = 0): void {
    this.pages = Math.min(this.history.length, this.pages + pages);
    this.changedAt = Date.now();
  }

  private get truth(): Truth {
    const running = [...this.followers.keys()].filter((name) => !this.frozen.has(name));
    const { changedAt, isStoreThere, pages } = this;
    return { changedAt, isStoreThere, pages, running };
  }

  /** Waits until all that is said is true, and reports what is not in time. */
  private async settle(): Promise<void> {
    const begun = Date.now();
    while (!this.oracle.isSettled(this.truth)) {
      const isGone = Date.now() - begun > STORE_MILLIS;
      if (isGone) this.oracle.report("the store does not come back", this.deed);
      if (isGone || Date.now() - Math.max(begun, this.changedAt) > LIMIT_MILLIS) {
        for (const text of this.oracle.open) this.oracle.report(text, this.deed);
        if (this.oracle.open.length === 0) this.oracle.report("nobody answers", this.deed);
        return;
      }
      await sleep(50);
    }
  }

  private isOver = false;

  /** Compares at every scrape, until it is over. */
  private async watch(): Promise<void> {
    while (!this.isOver) {
      // What a store does not answer to anybody is not there yet.
      const isThere = !this.isStoreThere || (await this.store.answers?.()) !== false;
      if (!isThere && this.isStoreThere) this.changedAt = Date.now();
      const running = this.truth.running.map((name) => this.followers.get(name)!);
      const looks = await Promise.all(running.map((one) => one.look()));
      this.oracle.compare(this.truth, looks, this.deed);
      for (const one of running) {
        const code = one.code();
        if (code !== null) this.oracle.report(`${one.name} ended with ${code}: ${one.text()}`, "");
      }
      await sleep(LOOK_EVERY_MILLIS);
    }
  }
}
