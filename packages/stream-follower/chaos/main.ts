/**
 * The kill test: followers are killed and frozen at random, the server answers one request in five
 * with a fault, and the store goes away under them: PostgreSQL is stopped (fast, at once, by
 * SIGSTOP), nodes of a NATS cluster are killed and frozen, a SQLite file is locked.
 *
 * In the end every served page must have been applied exactly once, in order, and the store must
 * equal an oracle's; with NATS, the stores of two consumers as well. Meanwhile `/health` and
 * `/metrics` of each follower are compared with what was done (`Oracle`).
 *
 * Usage: node chaos/main.ts [--outages 40 | --long] [--stores sqlite,postgres,nats] [--seed 1]
 * [--only TEXT of what is done to a store] [--json]
 */
import { parseArgs } from "node:util";
import { DEEDS, type StoreKind } from "./Stores.ts";
import { type Outcome, torment } from "./Torment.ts";

const { values } = parseArgs({
  options: {
    outages: { type: "string", default: "40" },
    long: { type: "boolean", default: false },
    stores: { type: "string", default: "sqlite,postgres,nats" },
    seed: { type: "string", default: "1" },
    only: { type: "string" },
    json: { type: "boolean", default: false },
  },
});

const LONG_OUTAGES = 201;

const log = (line: string) => process.stderr.write(`${line}\n`);

const total = (counts: Outcome["outages"]): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

const isTormented = (store: string): store is StoreKind =>
  Object.hasOwn(DEEDS, store) &&
  DEEDS[store as StoreKind].some((name) => name.includes(values.only ?? ""));
const stores = values.stores.split(",").filter((store) => isTormented(store));
if (stores.length === 0) {
  const names = Object.entries(DEEDS).map(([store, all]) => `\n  ${store}: ${all.join(", ")}`);
  log(
    `Nothing is done to ${values.stores} whose name holds "${values.only ?? ""}". Say part of:${names.join("")}`,
  );
  process.exit(64);
}
const wanted = values.long ? LONG_OUTAGES : Number(values.outages);
const results = await Promise.all(
  stores.map((store, index) =>
    torment({
      store,
      outages: Math.max(1, Math.ceil(wanted / stores.length)),
      seed: Number(values.seed) + index,
      isLong: values.long,
      only: values.only,
    }),
  ),
);
const outcomes = results.filter((result) => typeof result !== "string");
const left = results.filter((result) => typeof result === "string");
for (const { outages, problems, ...one } of outcomes) {
  log(
    `${one.store}: ${total(outages)} outages (${Object.entries(outages)
      .map(([name, count]) => `${count} × ${name}`)
      .join(", ")}), ` +
      `${one.pages} pages, ${one.faults}/${one.requests} faults, ${one.rounds} rounds of looks, ` +
      `status true after ${one.slowestMillis} ms at most, ${one.seconds} s: ` +
      (problems.length === 0 ? "ok" : `\n  ${problems.join("\n  ")}`),
  );
}
if (left.length > 0) log(`left out: ${left.join("; ")}`);
// A store that was left out is a failure if services are required.
const isComplete = left.length === 0 || process.env["REQUIRE_SERVICES"] !== "1";
const ok =
  isComplete && outcomes.length > 0 && outcomes.every(({ problems }) => problems.length === 0);
if (values.json) {
  const outages = outcomes.reduce((sum, outcome) => sum + total(outcome.outages), 0);
  process.stdout.write(`${JSON.stringify({ ok, outages, leftOut: left, outcomes })}\n`);
}
process.exit(ok ? 0 : 1);
