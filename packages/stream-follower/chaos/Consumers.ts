/** The consumers of the kill test, and the oracle over their stores. */
import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Changes } from "../src/index.ts";
import { fold, type MadePage } from "../test/support/History.ts";
import { endWithUs } from "../test/support/watchdog.ts";
import type { ConsumerOrder } from "./consumer.ts";

const SHARDS = 8;

/** Makes the settings of two consumers: half of the shards and a file of its own for each. */
export const ordersOf = (log: string, folder: string): ReadonlyArray<ConsumerOrder> =>
  [0, 1].map((index) => ({
    log,
    path: join(folder, `consumer${index}.db`),
    count: SHARDS,
    mine: Array.from({ length: SHARDS / 2 }, (_, shard) => shard * 2 + index),
    until: "forever",
  }));

const PROGRAM = join(import.meta.dirname, "consumer.ts");

/** Starts one. */
export const startConsumer = (order: ConsumerOrder): ChildProcess =>
  endWithUs(
    spawn(process.execPath, [PROGRAM, JSON.stringify(order)], {
      stdio: ["ignore", "ignore", "pipe"],
    }),
  );

/** Lets every consumer read to the end of the log; what went wrong. */
export const settleConsumers = async (
  orders: ReadonlyArray<ConsumerOrder>,
): Promise<ReadonlyArray<string>> => {
  const ended = orders.map(async (order, index) => {
    const child = startConsumer({ ...order, until: "caughtUp" });
    let text = "";
    child.stderr?.on("data", (chunk: Buffer) => (text += chunk.toString()));
    const late = setTimeout(() => child.kill("SIGKILL"), 120_000);
    const code = await new Promise((resolve) => child.once("exit", resolve));
    clearTimeout(late);
    return code === 0
      ? []
      : [`consumer ${index} ended with ${String(code)}: ${text.slice(0, 400)}`];
  });
  return (await Promise.all(ended)).flat();
};

/** Every page once and in order, and every stash as the oracle has it. */
export const checkConsumers = (
  orders: ReadonlyArray<ConsumerOrder>,
  history: ReadonlyArray<MadePage>,
): ReadonlyArray<string> => {
  const oracle = fold(history);
  return orders.flatMap(({ mine, path }, index) => {
    const problems: Array<string> = [];
    const db = new DatabaseSync(path, { readOnly: true });
    const applied = db
      .prepare("SELECT next_id AS id, times FROM applied ORDER BY version")
      .all() as Array<{ id: string; times: number }>;
    const rows = db.prepare("SELECT id, doc FROM stash").all() as Array<{
      id: string;
      doc: string | null;
    }>;
    db.close();
    if (applied.length !== history.length) {
      problems.push(`consumer ${index}: ${applied.length} pages of ${history.length}`);
    }
    for (const [at, page] of history.entries()) {
      const found = applied[at];
      if (found !== undefined && (found.id !== page.nextId || found.times !== 1)) {
        problems.push(`consumer ${index}: page ${at} is ${found.id}, applied ${found.times} times`);
      }
    }
    const held = new Map(rows.map(({ doc, id }) => [id, doc]));
    for (const [id, doc] of oracle) {
      if (!mine.includes(Changes.shardOf(id, SHARDS))) continue;
      if (held.get(id) !== doc) problems.push(`consumer ${index}: stash ${id} differs`);
      held.delete(id);
    }
    if (held.size > 0) problems.push(`consumer ${index}: ${held.size} stashes of other shards`);
    return problems.slice(0, 10);
  });
};
