/**
 * Kills two publishers that copy one log into JetStream at the same time, while a follower fills the
 * log. In the end each page must be in the stream once and in order.
 */
import { connect } from "@nats-io/transport-node";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { consume } from "../src/nats/index.ts";
import { answerHistory, startFaultServer } from "../test/support/FaultServer.ts";
import { makeHistory, random } from "../test/support/History.ts";
import { startNats } from "../test/support/NatsServer.ts";
import { checkPages } from "./check.ts";
import { endProcess, startProgram, waitForEnd } from "./Followers.ts";
import type { KillTestResult } from "./KillTest.ts";

const PAGES_PER_KILL = 16;
const LAST_RUN_MILLIS = 120_000;

/** Runs the test. Returns `undefined` if `nats-server` is not installed. */
export const runPublisherTest = async (options: {
  readonly kills: number;
  readonly seed: number;
}): Promise<KillTestResult | undefined> => {
  const program = process.env["GAME_DATA_NATS_SERVER"];
  if (program === undefined) return undefined;
  const dice = random(options.seed);
  const folder = mkdtempSync(join(tmpdir(), "chaos-"));
  const nats = await startNats(program);
  // A page of more than a megabyte travels in parts.
  const history = makeHistory({
    pages: (options.kills + 1) * PAGES_PER_KILL,
    seed: options.seed,
    stashesPerPage: 20,
    itemsPerStash: 10,
  });
  let pages = 1;
  const server = await startFaultServer({ answer: answerHistory(history, () => pages) });
  const store = `sqlite:${join(folder, "store.db")}`;
  const followerOrder = { server: server.url, store, leaseTtlMillis: 5000 };
  const follower = startProgram("follower.ts", { ...followerOrder, until: "forever" });
  await follower.firstLine;
  const copy = { store, server: nats.url, stream: "COPY" };
  const start = () => startProgram("publisher.ts", { ...copy, until: "forever" });
  const publishers = [start(), start()];
  for (let kill = 0; kill < options.kills; kill += 1) {
    const which = Math.floor(dice() * 2);
    await publishers[which]!.firstLine;
    pages += PAGES_PER_KILL;
    await sleep(dice() * 400);
    await endProcess(publishers[which]!.child, "SIGKILL");
    publishers[which] = start();
  }
  pages = history.length;
  await endProcess(follower.child, "SIGTERM");
  const last = startProgram("follower.ts", { ...followerOrder, until: "caughtUp" });
  const problems = [...(await waitForEnd("the last follower", last, LAST_RUN_MILLIS))];
  await Promise.all(publishers.map(({ child }) => endProcess(child, "SIGKILL")));
  const lastCopy = startProgram("publisher.ts", { ...copy, until: "caughtUp" });
  problems.push(...(await waitForEnd("the last publisher", lastCopy, LAST_RUN_MILLIS)));
  problems.push(...checkPages(await readCopy(nats.url, copy.stream), history));
  await server.close();
  await nats.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  return {
    test: "publishers",
    outages: { "SIGKILL of a publisher": options.kills },
    pages: history.length,
    requests: server.seen.length,
    faults: 0,
    rounds: 0,
    slowestStatusMillis: 0,
    problems,
  };
};

const readCopy = async (servers: string, stream: string) => {
  const nats = await connect({ servers });
  const key = { source: "stashes", realm: "pc" } as const;
  const batches = consume({ nats, key, stream, until: "caughtUp" });
  const found = await Effect.runPromise(Stream.runCollect(batches));
  await nats.close();
  return found;
};
