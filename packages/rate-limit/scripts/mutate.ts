/**
 * Changes every named number of the planner and the queue, one by one, to double and to half of it,
 * and asks whether a recorded plan tells (`test/model/recorded.ts`). A number whose change nobody
 * notices is not tested, or not needed.
 *
 * `node scripts/mutate.ts [--only NAME]`
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const CONSTANT = /^(?:export )?const ([A-Z][A-Z_]+)(?:: [^=;]+)? = (\[?\s*[\d_][^;]*);/gmu;
/** Options have defaults; these are of `./redis` and of the clock, and have tests of their own. */
const FILES = ["src/core/*.ts", "src/store/persistent.ts", "src/RateLimitDialect.ts"];
const AT_ONCE = 2;

/** Constants that no plan can show, and why. */
const EQUIVALENT: Readonly<Record<string, string>> = {
  DAY: "no plan has a service that tells a later reset; Nonsense.test has one",
  CLOCK_STEP: "no two times of a clock differ by less than 5 times as much",
  MOST_WINDOWS: "no plan has a service of so many windows; Nonsense.test has one",
  MOST_NAMES: "no plan has a route of so many policies; Nonsense.test has one",
  STORE_MILLIS: "no plan waits so long for a store that hangs; SlowStores.test does",
  STORE_GRACE: "no plan waits for nothing else than a store; SlowStores.test does",
  SILENT_MILLIS:
    "no plan has a store that falls silent after a request came; SlowStores.test has one",
  RENEWAL_MILLIS: "no trace has two groups that change places within so short a time",
  MOST_KNOWN: "a text that is forgotten is read again, with the same result",
  MOST_STEPS: "a step that is forgotten is computed again, with the same result",
};

const root = join(import.meta.dirname, "..");

const mutants = globSync(FILES, { cwd: root }).flatMap((file) =>
  [...readFileSync(join(root, file), "utf8").matchAll(CONSTANT)].flatMap(
    ([statement, name = "", value = ""]) =>
      [2, 0.5].map((factor) => ({
        file: join(root, file),
        name,
        what: `${name} × ${factor} (${file})`,
        statement,
        changed: statement.replace(
          `= ${value};`,
          value.startsWith("[")
            ? `= (${value}).map((each) => each * ${factor});`
            : `= (${value}) * ${factor};`,
        ),
      })),
  ),
);

/** Runs the recorded plans with one constant changed; the first plan that differs, if there is one. */
const noticedBy = async (index: number): Promise<string | undefined> => {
  const recorded = join(root, "test/model/recorded.ts");
  const child = spawn(process.execPath, ["--import", import.meta.filename, recorded], {
    env: { ...process.env, MUTANT: String(index) },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [[code], told] = await Promise.all([once(child, "close"), child.stdout.toArray()]);
  return code === 0 ? undefined : told.join("").split("\n")[0] || "an error";
};

const lead = async (): Promise<void> => {
  const { only } = parseArgs({ options: { only: { type: "string" } } }).values;
  const waiting = [...mutants.entries()].filter(
    ([, { name }]) => (only === undefined || name === only) && !Object.hasOwn(EQUIVALENT, name),
  );
  if (waiting.length === 0) throw new Error(`there is no constant ${only}`);
  const missed: Array<string> = [];
  const judge = async (): Promise<void> => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [index, { what }] = next;
      const by = await noticedBy(index);
      if (by === undefined) missed.push(what);
      console.log(`${what}: ${by === undefined ? "MISSED" : `caught by ${by}`}`);
    }
  };
  const mutantsJudged = waiting.length;
  await Promise.all(Array.from({ length: AT_ONCE }, judge));
  console.log(JSON.stringify({ mutants: mutantsJudged, missed }));
  process.exitCode = missed.length > 0 ? 1 : 0;
};

const mutant = mutants[Number(process.env["MUTANT"] ?? Number.NaN)];
if (!mutant) await lead();
else
  registerHooks({
    load: (url, context, next) => {
      const loaded = next(url, context);
      return url === pathToFileURL(mutant.file).href
        ? { ...loaded, source: String(loaded.source).replace(mutant.statement, mutant.changed) }
        : loaded;
    },
  });
