/**
 * The regimes in virtual time, three seeds each, and the cost of a decision and of an identity.
 * `--json` prints one line for each figure; those of regimes have `violations`, `utilisation` and
 * `oracle`, means of the seeds. `--only=TEXT` and `--seeds=N` select.
 */
import { Planner } from "../test/model/planner.ts";
import { regimes } from "../test/model/regimes.ts";
import { simulate } from "../test/model/simulate.ts";
import { xRateLimit } from "@game-data/rate-limit";

const option = (name: string): string | undefined =>
  process.argv.find((each) => each.startsWith(`--${name}=`))?.slice(name.length + 3);
const isJson = process.argv.includes("--json");
const only = option("only");
const seeds = Number(option("seeds") ?? 3);

const print = (figure: Record<string, unknown>, text: string): void =>
  console.log(isJson ? JSON.stringify(figure) : text);

const headers = (count: number): Record<string, string> => ({
  "x-rate-limit-policy": "p",
  "x-rate-limit-rules": "account",
  "x-rate-limit-account": "30:60:60,100:1800:600",
  "x-rate-limit-account-state": `${count}:60:0,${count}:1800:0`,
});

/** Sends a request at a time, and reads the server's count 50 ms later. */
const request = (planner: Planner, identity: string, at: number, count: number): void => {
  const grant = planner.acquire({ route: "GET /x", identity }, at);
  if (!("until" in grant)) planner.settle(grant, 200, xRateLimit(headers(count), 0), at + 50);
};

const measureMemory = (): void => {
  const users = 10_000;
  const planner = new Planner();
  for (let count = 1; count <= 3; count++) request(planner, "first", count * 100, count);
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  for (let user = 0; user < users; user++)
    for (let count = 1; count <= 3; count++)
      request(planner, `u${user}`, 1000 + count * 100, count);
  globalThis.gc?.();
  // Uses the planner again, so that it is not collected.
  const bytes = Math.round((process.memoryUsage().heapUsed - before) / (users - planner.size));
  print(
    {
      name: "memory of an identity with three requests in two windows",
      unit: "B",
      ours: bytes,
      peers: { budget: 1024 },
      ratio: bytes / 1024,
    },
    `an identity with three requests in two windows: ${bytes} B (budget 1024)`,
  );
};

const measureDecision = (): void => {
  const planner = new Planner();
  for (let count = 1; count <= 30; count++) request(planner, "me", count * 100, count);
  const rounds = 20_000;
  const timed = Array.from({ length: 7 }, () => {
    const started = performance.now();
    for (let index = 0; index < rounds; index++)
      planner.acquire({ route: "GET /x", identity: "me" }, 4000 + index / 20);
    return ((performance.now() - started) / rounds) * 1000;
  }).toSorted((one, other) => one - other);
  const micros = Number(timed[3]!.toFixed(2));
  print(
    {
      name: "decision, full window of 30, buckets unknown",
      unit: "µs",
      ours: micros,
      peers: { budget: 25 },
      ratio: micros / 25,
    },
    `decision, buckets unknown: ${micros} µs (budget 25)`,
  );
};

/** Runs a regime with each seed, and prints what the planner reached. */
const measureRegime = (regime: (typeof regimes)[number]): void => {
  const { because, name, target, violations: allowed = 0 } = regime;
  const runs = Array.from({ length: seeds }, (_, seed) => simulate(regime, seed + 1));
  const mean = (pick: (run: (typeof runs)[number]) => number) =>
    runs.reduce((sum, run) => sum + pick(run), 0) / runs.length;
  const utilisation = Number(mean((run) => run.utilisation).toFixed(1));
  const violations = Number(mean((run) => run.violations).toFixed(1));
  const oracle = Math.round(mean((run) => run.oracle));
  const verdict = utilisation >= target && violations <= allowed ? "ok  " : "less";
  print(
    {
      name,
      unit: "%",
      ours: utilisation,
      peers: { target },
      ratio: Number((utilisation / 100).toFixed(3)),
      utilisation,
      violations,
      oracle,
      target,
      allowedViolations: allowed,
      ...(because !== undefined && { because }),
    },
    `${verdict} ${name.padEnd(50)} ${utilisation.toFixed(1).padStart(6)} % of ${oracle} (target ${target}), ${violations} refused (${allowed})`,
  );
};

if (!only) measureMemory();
for (const regime of regimes)
  if (only === undefined || regime.name.includes(only)) measureRegime(regime);
if (!only) measureDecision();
