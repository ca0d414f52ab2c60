/**
 * The regimes in virtual time, three seeds each, and the cost of a decision and of an identity.
 * `--json` prints one line per regime: `violations`, `utilisation` and `oracle`, means of the
 * seeds; where other programs send at random, `bound` is what a client reaches that knows how often
 * they do and when they did (see `test/model/informed.ts`). `--only=TEXT` and `--seeds=N` choose.
 * `--bounds` adds the best share with one refusal of a client that begins like one that is alone,
 * the share of a client that sees every request of others at once, and the `ceiling` of any client
 * whose requests cause so few overflows (see `test/model/ceiling.ts`).
 */
import { settle } from "../src/core/learn.ts";
import { tryAcquire } from "../src/core/plan.ts";
import { defaultOptions, newState } from "../src/core/State.ts";
import type { CoreOptions, State } from "../src/core/State.ts";
import { createLimiter, xRateLimit } from "@game-data/rate-limit";
import { ceiling } from "../test/model/ceiling.ts";
import { bestInformed } from "../test/model/informed.ts";
import { regimes } from "../test/model/regimes.ts";
import { simulate } from "../test/model/simulate.ts";
import type { Run } from "../test/model/simulate.ts";

const option = (name: string): string | undefined =>
  process.argv.find((each) => each.startsWith(`--${name}=`))?.slice(name.length + 3);
const isBounded = process.argv.includes("--bounds");
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
const options: CoreOptions = defaultOptions;
const request = (
  state: State,
  identity: string,
  at: number,
  count: number,
  core: CoreOptions = options,
): void => {
  const grant = tryAcquire(
    state,
    { id: `${identity}.${count}`, route: "GET /x", identity },
    at,
    core,
  );
  if ("until" in grant) return;
  settle(
    state,
    grant,
    { status: 200, info: xRateLimit.read(headers(count), 0), at: at + 50 },
    core,
  );
};

if (!only) {
  const users = 10_000;
  const many = newState();
  for (let count = 1; count <= 3; count++) request(many, "first", count * 100, count);
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  for (let user = 0; user < users; user++)
    for (let count = 1; count <= 3; count++) request(many, `u${user}`, 1000 + count * 100, count);
  globalThis.gc?.();
  // Named again, so that it is still there.
  const known = many.policies.get("p")!.windows[0]!.logs.size - 1;
  const bytes = Math.round((process.memoryUsage().heapUsed - before) / known);
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
}

const chosen = regimes.filter(({ name }) => only === undefined || name.includes(only));
/** Shares of clients that know more than ours, and the ceiling of all, in per cent. */
const boundsOf = (regimeOf: (typeof regimes)[number], served: number) => {
  const [window] = regimeOf.server(() => 0).policies[0]!.windows;
  const most = (overflows: number): number =>
    Number(((100 * ceiling(window!, regimeOf.perMinute!, overflows)) / served).toFixed(1));
  return {
    blindAtFirst: bestInformed(regimeOf, seeds, { isBlindAtFirst: true }, 1),
    seesAtOnce: bestInformed(regimeOf, seeds, { atOnce: true }, 0),
    ceiling: { "1 an hour": most(1), "1 in 10 hours": most(0.1), "1 in 20000 hours": most(5e-5) },
  };
};
/** Prints what the runs of a regime have reached. */
const report = (regimeOf: (typeof regimes)[number], runs: ReadonlyArray<Run>): void => {
  const { because, name, target, violations: allowed = 0 } = regimeOf;
  const mean = (pick: (run: (typeof runs)[number]) => number) =>
    runs.reduce((sum, run) => sum + pick(run), 0) / runs.length;
  const utilisation = Number(mean((run) => run.utilisation).toFixed(1));
  const violations = Number(mean((run) => run.violations).toFixed(1));
  const oracle = Math.round(mean((run) => run.oracle));
  const isRandom = regimeOf.perMinute !== undefined;
  const bound = isRandom ? bestInformed(regimeOf, seeds, {}, 1) : undefined;
  const bounds = isRandom && isBounded ? boundsOf(regimeOf, oracle) : undefined;
  const isReached = utilisation >= target && violations <= allowed;
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
      ...(bound !== undefined && { bound }),
      ...bounds,
      ...(because !== undefined && { because }),
    },
    `${isReached ? "ok  " : "less"} ${name.padEnd(50)} ${utilisation.toFixed(1).padStart(6)} % of ${oracle} (target ${target}), ${violations} refused (${allowed})${bound ? `; informed: ${bound.utilisation} %, ${bound.violations} refused` : ""}${bounds ? `; ${JSON.stringify(bounds)}` : ""}`,
  );
};

for (const regime of chosen)
  report(
    regime,
    Array.from({ length: seeds }, (_, seed) => simulate(regime, seed + 1)),
  );

if (!only) {
  // A thousand requests wait in a full window: what one decision costs.
  const limiter = createLimiter({ maxWait: Number.MAX_SAFE_INTEGER });
  for (let count = 1; count <= 40; count++)
    void limiter.run({ route: "GET /x" }, async () => ({
      status: 200,
      headers: headers(Math.min(30, count)),
    }));
  await new Promise((resolve) => setTimeout(resolve, 50));
  for (let index = 0; index < 1000; index++) void limiter.run({ route: "GET /x" }, () => undefined);
  const known: CoreOptions = { ...options, bucketSizes: [] };
  for (const [what, core] of [
    ["buckets known", known],
    ["897 hypotheses", options],
  ] as const) {
    const state = newState();
    for (let count = 1; count <= 30; count++) request(state, "me", count * 100, count, core);
    const rounds = 20_000;
    const ask = { id: "x", route: "GET /x", identity: "me" };
    const timed = Array.from({ length: 7 }, () => {
      const started = performance.now();
      for (let index = 0; index < rounds; index++) tryAcquire(state, ask, 4000 + index / 20, core);
      return ((performance.now() - started) / rounds) * 1000;
    }).toSorted((one, other) => one - other);
    const micros = Number(timed[3]!.toFixed(2));
    print(
      {
        name: `decision, full window of 30, 1,000 waiting, ${what}`,
        unit: "µs",
        ours: micros,
        peers: { budget: 5 },
        ratio: micros / 5,
        waiting: limiter.waiting(),
      },
      `decision with ${limiter.waiting()} waiting, ${what}: ${micros} µs (budget 5)`,
    );
  }
  process.exit(0);
}
