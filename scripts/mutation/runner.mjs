// A runner of vitest that judges mutants: it runs each test as it is, and once more for each mutant
// that the test reached and that no test has noticed yet. A test that fails then has noticed it. Dear
// tests come last, in a run of their own, when few mutants live: none is left out, and how much a
// mutant may work is counted in its own steps, so that the score does not depend on a busy machine.
// Each step is a line in MUTATION_FOLDER/log.ndjson; `main.mjs` reads it, also as a heartbeat.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { TestRunner } from "vitest";

const folder = process.env.MUTATION_FOLDER;
const mostMillis = Number(process.env.MUTATION_MOST_MILLIS);
const log = join(folder, "log.ndjson");
const write = (line) => appendFileSync(log, `${JSON.stringify(line)}\n`);

const { judged, until } = JSON.parse(readFileSync(join(folder, "run.json"), "utf8"));
const toJudge = new Set(judged);
/** Mutants that need no more tests, and tests that are through, from this run and earlier ones. */
const over = new Set();
const through = new Set();
if (existsSync(log))
  for (const line of readFileSync(log, "utf8").split("\n").filter(Boolean)) {
    const { killed, timedOut, done } = JSON.parse(line);
    if (killed ?? timedOut) over.add(killed ?? timedOut);
    if (done) through.add(done);
  }

const switches = (globalThis.__stryker__ ??= {});
switches.activeMutant = "none";

/** The clocks as they are before a test makes them virtual. */
const { now } = Date;
const ticks = performance.now.bind(performance);

/** Number of mutants that ran while modules were loaded. */
let atLoad = 0;

/** Ends with the test, or after `millis`; what the test still does then disturbs nobody. */
const within = async (millis, run) => {
  const timer = new AbortController();
  const late = sleep(millis, "late", { signal: timer.signal });
  const outcome = await Promise.race([Promise.resolve().then(run), late]).finally(() =>
    timer.abort(),
  );
  if (outcome === "late") throw new Error(`not within ${millis} ms`);
};

/** The hooks of a suite and of those around it, from the outside inwards. */
const hooksOf = (suite, name) => [
  ...("filepath" in suite ? [] : hooksOf(suite.suite ?? suite.file, name)),
  ...TestRunner.getSuiteHooks(suite)[name],
];

/** Ends what a test has left, and begins anew, as between two tests. */
const renew = async (test) => {
  const suite = test.suite ?? test.file;
  for (const hook of hooksOf(suite, "afterEach").toReversed()) await hook(test.context, suite);
  for (const hook of hooksOf(suite, "beforeEach")) await hook(test.context, suite);
};

export default class extends TestRunner {
  async runTask(test) {
    const run = TestRunner.getTestFn(test);
    const name = [test.file.name, test.fullTestName ?? test.name].join(" > ");
    switches.currentTestId = test.id;
    const started = ticks();
    try {
      await run();
    } finally {
      switches.currentTestId = undefined;
    }
    const took = ticks() - started;
    const reached = switches.mutantCoverage?.perTest?.[test.id] ?? {};
    const ids = Object.keys(reached).filter((id) => toJudge.has(id));
    if (ids.length > 0) write({ reached: ids });
    // What runs while modules load cannot be switched any more: it is not judged.
    const loaded = Object.keys(switches.mutantCoverage?.static ?? {});
    if (loaded.length > atLoad) write({ atLoad: loaded });
    atLoad = loaded.length;
    if (took > mostMillis || through.has(name) || now() > until) return;
    const living = ids.filter((id) => !over.has(id));
    if (living.length === 0) return;
    await this.#judge({ test, run, name, millis: Math.max(3000, 20 * took) }, living, reached);
    write({ done: name });
  }

  async #judge({ test, run, name, millis }, living, reached) {
    // A test that does not pass a second time by itself has to be begun anew each time; one that
    // does not pass then either cannot judge anything.
    const passes = (prepare) =>
      within(millis, async () => {
        await prepare?.();
        await run();
      }).then(
        () => true,
        () => false,
      );
    const prepare = (await passes()) ? undefined : () => renew(test);
    if (prepare !== undefined && !(await passes(prepare))) return;
    for (const id of living) {
      if (now() > until) return;
      await prepare?.();
      write({ trying: id });
      switches.activeMutant = id;
      switches.hitCount = 0;
      switches.hitLimit = 100 * reached[id] + 1000;
      try {
        await within(millis, run);
      } catch {
        over.add(id);
        write({ killed: id, by: name });
      } finally {
        switches.activeMutant = "none";
        switches.hitCount = undefined;
      }
    }
  }
}
