/**
 * The kill test. Two followers of one store are killed and frozen at random, 15 % of the responses
 * have faults, and the store becomes unavailable under them: PostgreSQL is stopped or frozen, a
 * SQLite file is locked. In the end every served page must be in the store once and in order.
 * Meanwhile `/health` and `/metrics` of each follower are compared with what was done.
 *
 * `publishers` kills two publishers that copy a log into NATS JetStream.
 *
 * Usage: node chaos/main.ts [--kills 60] [--tests sqlite,postgres,publishers] [--seed 1] [--long]
 * [--json]
 */
import { parseArgs } from "node:util";
import { type KillTestResult, runKillTest } from "./KillTest.ts";
import { runPublisherTest } from "./PublisherTest.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "60" },
    tests: { type: "string", default: "sqlite,postgres,publishers" },
    seed: { type: "string", default: "1" },
    long: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
const kills = Number(values.kills);
const seed = Number(values.seed);
const storeOutages = Math.ceil(kills / 15);

const TESTS: Readonly<Record<string, () => Promise<KillTestResult | undefined>>> = {
  sqlite: () => runKillTest({ store: "sqlite", kills, storeOutages, seed, isLong: false }),
  postgres: () =>
    runKillTest({ store: "postgres", kills, storeOutages, seed, isLong: values.long }),
  publishers: () => runPublisherTest({ kills: Math.ceil(kills * 0.4), seed }),
};

const names = values.tests.split(",");
const unknown = names.filter((name) => !Object.hasOwn(TESTS, name));
if (unknown.length > 0 || !(kills > 0)) {
  process.stderr.write(`Name tests of ${Object.keys(TESTS).join(", ")}, and at least one kill.\n`);
  process.exit(64);
}
const results: Array<KillTestResult> = [];
for (const name of names) {
  const result = await TESTS[name]!();
  if (result === undefined)
    process.stderr.write(`left out: ${name} (its server is not installed)\n`);
  else {
    results.push(result);
    const { outages, problems, ...figures } = result;
    const text = problems.length === 0 ? "ok" : `\n  ${problems.join("\n  ")}`;
    process.stderr.write(`${JSON.stringify({ ...figures, outages })}: ${text}\n`);
  }
}
// A test that was left out is a failure if services are required.
const isComplete = results.length === names.length || process.env["REQUIRE_SERVICES"] !== "1";
const isOk =
  isComplete && results.length > 0 && results.every(({ problems }) => problems.length === 0);
if (values.json) process.stdout.write(`${JSON.stringify({ ok: isOk, results })}\n`);
process.exit(isOk ? 0 : 1);
