/**
 * The kill test: followers are killed and frozen at random, the server answers one request in five
 * with a fault, PostgreSQL is restarted under them; in the end every served page must have been
 * applied exactly once, in order, and the store must equal an oracle's.
 *
 * With NATS three servers form a cluster, and two consumers keep half of the shards each: servers
 * and consumers are killed and frozen as well, and every consumer's store must equal the oracle's.
 *
 * Usage: node chaos/main.ts [--kills 40 | --long] [--sinks sqlite,postgres,nats] [--seed 1]
 * [--json]
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { answerHistory, type Fault, startFaultServer } from "../test/support/FaultServer.ts";
import { makeHistory, random } from "../test/support/History.ts";
import { check } from "./Check.ts";
import type { FollowerOrder } from "./follower.ts";
import { checkConsumers, ordersOf, settleConsumers, startConsumer } from "./Consumers.ts";
import { type NatsCluster, startCluster } from "../test/support/NatsCluster.ts";
import { type OwnPostgres, startPostgres } from "./Postgres.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "40" },
    long: { type: "boolean", default: false },
    sinks: { type: "string", default: "sqlite,postgres,nats" },
    seed: { type: "string", default: "1" },
    json: { type: "boolean", default: false },
  },
});

const LEASE_TTL_MILLIS = 1500;
const PAGES_PER_KILL = 6;
const FAULT_RATE = 0.2;
const SETTLE_MILLIS = 150_000;

/** Result of the kill test for one store. */
interface Outcome {
  readonly sink: FollowerOrder["sink"];
  readonly kills: number;
  readonly stops: number;
  /** Kills of the store's own servers: PostgreSQL, or nodes of the NATS cluster. */
  readonly serverKills: number;
  readonly consumerKills: number;
  readonly requests: number;
  readonly faults: number;
  readonly pages: number;
  readonly problems: ReadonlyArray<string>;
  readonly seconds: number;
}

const log = (line: string) => process.stderr.write(`${line}\n`);

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

const torment = async (
  sink: FollowerOrder["sink"],
  kills: number,
  seed: number,
  postgres: OwnPostgres | undefined,
  nats: NatsCluster | undefined,
): Promise<Outcome> => {
  const begun = performance.now();
  const dice = random(seed);
  const history = makeHistory({
    pages: Math.max(60, kills * PAGES_PER_KILL),
    seed,
    // Large enough packed that a decoding thread is asked.
    stashesPerPage: 50,
    itemsPerStash: 12,
    stashPool: 300,
  });
  const counts = { kills: 0, stops: 0, servers: 0, consumers: 0, faults: 0 };
  let visible = 10;
  const server = await startFaultServer({
    answer: answerHistory(history, () => visible),
    latencyMillis: 4,
    fault: () => {
      if (dice() >= FAULT_RATE) return undefined;
      counts.faults += 1;
      return FAULTS[Math.floor(dice() * FAULTS.length)];
    },
  });
  const folder = mkdtempSync(join(tmpdir(), "chaos-"));
  const url = nats?.urlOf("chaos") ?? postgres?.url ?? process.env["GAME_DATA_POSTGRES_URL"] ?? "";
  const order: FollowerOrder = {
    server: server.url,
    sink,
    target: sink === "postgres" || sink === "nats" ? url : join(folder, "store.db"),
    lease: sink === "postgres" || sink === "nats" ? url : join(folder, "lease.db"),
    until: "forever",
    leaseTtlMillis: LEASE_TTL_MILLIS,
  };

  const children: Array<ChildProcess> = [];
  const launch = (slot: number) => {
    children[slot] = start(order);
  };
  launch(0);
  launch(1);
  const consumers = sink === "nats" ? ordersOf(url, folder) : [];
  const readers = consumers.map((one) => startConsumer(one));
  const restartEvery = Math.max(4, Math.floor(kills / 6));
  while (counts.kills < kills) {
    // Long enough for a process to start and write, short enough that it is often writing when it
    // is hit.
    await sleep(250 + dice() * 1000);
    visible = Math.min(
      history.length,
      10 + Math.ceil((history.length * (counts.kills + 1)) / kills),
    );
    if (nats !== undefined && dice() < 0.4) {
      counts.kills += 1;
      if (dice() < 0.5) {
        counts.servers += 1;
        await disturb(nats, dice);
      } else {
        counts.consumers += 1;
        const which = Math.floor(dice() * readers.length);
        await end(readers[which]!, "SIGKILL");
        readers[which] = startConsumer(consumers[which]!);
      }
      continue;
    }
    const slot = Math.floor(dice() * 2);
    const victim = children[slot]!;
    if (dice() < 0.3) {
      counts.stops += 1;
      freeze(victim, dice() * LEASE_TTL_MILLIS * 2);
      continue;
    }
    counts.kills += 1;
    await end(victim, "SIGKILL");
    launch(slot);
    for (const [other, child] of children.entries()) if (child.exitCode !== null) launch(other);
    if (sink === "postgres" && postgres !== undefined && counts.kills % restartEvery === 0) {
      counts.servers += 1;
      await postgres.restart(counts.servers % 2 === 1 ? "crash" : "fast");
    }
  }
  visible = history.length;
  await Promise.all([...children, ...readers].map((child) => end(child, "SIGKILL")));
  const problems = await settle({ ...order, until: "caughtUp" });
  if (problems.length === 0) problems.push(...(await check(order, history)));
  if (problems.length === 0 && consumers.length > 0) {
    problems.push(...(await settleConsumers(consumers)), ...checkConsumers(consumers, history));
  }
  await server.close();
  rmSync(folder, { recursive: true, force: true });
  return {
    sink,
    kills: counts.kills,
    stops: counts.stops,
    serverKills: counts.servers,
    consumerKills: counts.consumers,
    requests: server.seen.length,
    faults: counts.faults,
    pages: history.length,
    problems,
    seconds: Math.round((performance.now() - begun) / 100) / 10,
  };
};

/** Kills or freezes one server; one at a time, so that two of three remain. */
const disturb = async (cluster: NatsCluster, dice: () => number): Promise<void> => {
  const node = cluster.nodes[Math.floor(dice() * cluster.nodes.length)]!;
  if (dice() < 0.3) return node.pause(500 + dice() * 3000);
  await node.kill();
  await sleep(dice() * 2000);
  node.start();
  await node.ready();
};

const PROGRAM = join(import.meta.dirname, "follower.ts");

const start = (order: FollowerOrder): ChildProcess =>
  spawn(process.execPath, [PROGRAM, JSON.stringify(order)], {
    stdio: ["ignore", "ignore", "pipe"],
  }).on("error", (error) => log(String(error)));

const freeze = (child: ChildProcess, millis: number) => {
  child.kill("SIGSTOP");
  setTimeout(() => child.kill("SIGCONT"), millis);
};

const end = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill(signal);
  await gone;
};

/** Waits until the last follower has reached the end of the stream. */
const settle = async (order: FollowerOrder): Promise<Array<string>> => {
  const child = start(order);
  const chunks: Array<Buffer> = [];
  child.stderr?.on("data", (chunk: Buffer) => chunks.push(chunk));
  const gone = new Promise<string>((resolve) =>
    child.once("exit", (code) => resolve(code === 0 ? "" : `the last follower ended with ${code}`)),
  );
  const late = sleep(SETTLE_MILLIS, "the last follower does not catch up", { ref: false });
  const problem = await Promise.race([gone, late]);
  await end(child, "SIGKILL");
  return problem === "" ? [] : [`${problem}: ${Buffer.concat(chunks).toString().slice(0, 500)}`];
};

const sinks = values.sinks.split(",") as Array<FollowerOrder["sink"]>;
const wanted = values.long ? 240 : Number(values.kills);
const kills = Math.max(1, Math.ceil(wanted / sinks.length));
const outcomes: Array<Outcome> = [];
const left: Array<string> = [];
for (const [index, sink] of sinks.entries()) {
  const postgres = sink === "postgres" ? await startPostgres() : undefined;
  if (sink === "postgres" && postgres === undefined && !process.env["GAME_DATA_POSTGRES_URL"]) {
    left.push("postgres (not installed, and GAME_DATA_POSTGRES_URL is not set)");
    continue;
  }
  const program = process.env["GAME_DATA_NATS_SERVER"];
  if (sink === "nats" && program === undefined) {
    left.push("nats (GAME_DATA_NATS_SERVER is not set: scripts/with-services.mjs nats)");
    continue;
  }
  const nats = sink === "nats" ? await startCluster(program!, 3) : undefined;
  const outcome = await torment(sink, kills, Number(values.seed) + index, postgres, nats);
  outcomes.push(outcome);
  log(
    `${sink}: ${outcome.kills} kills, ${outcome.stops} stops, ${outcome.serverKills} of servers, ` +
      `${outcome.consumerKills} of consumers, ` +
      `${outcome.pages} pages, ${outcome.faults}/${outcome.requests} faults, ${outcome.seconds} s: ` +
      (outcome.problems.length === 0 ? "ok" : outcome.problems.join("; ")),
  );
  await postgres?.close();
  await nats?.close();
}
// A store that was left out is a failure if services are required.
const isComplete = left.length === 0 || process.env["REQUIRE_SERVICES"] !== "1";
const ok =
  isComplete && outcomes.length > 0 && outcomes.every(({ problems }) => problems.length === 0);
if (left.length > 0) log(`left out: ${left.join("; ")}`);
if (values.json) {
  const total = outcomes.reduce((sum, outcome) => sum + outcome.kills, 0);
  process.stdout.write(`${JSON.stringify({ ok, kills: total, leftOut: left, outcomes })}\n`);
}
process.exit(ok ? 0 : 1);
