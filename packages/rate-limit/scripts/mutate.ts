/**
 * Changes every named number of the planner and the queue, one by one, to double and to half of it,
 * and asks whether a recorded plan tells. A number whose change nobody notices is not tested, or
 * not needed. Each mutant plans the regimes in virtual time beside the original, a slice of each
 * after the other, until the first request that goes at another time.
 *
 * `node scripts/mutate.ts [--only NAME] [--workers 2]`
 */
import { fork } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type * as Traces from "../test/model/queueTrace.ts";
import type * as Regimes from "../test/model/regimes.ts";
import type * as Simulation from "../test/model/simulate.ts";

const root = join(import.meta.dirname, "..");
const option = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? undefined : process.argv[at + 1];
};

const CONSTANT = /^(?:export )?const ([A-Z][A-Z_]+)(?:: [^=;]+)? = (\[?\s*[\d_][^;]*);/gmu;
/** Options have defaults; these are of `./redis` and of the clock, and have tests of their own. */
const files = readdirSync(join(root, "src/core"))
  .map((name) => `src/core/${name}`)
  .concat("src/store/persistent.ts", "src/RateLimitDialect.ts");

/** Changes that no plan can show, and why. They run as well, and must not change a plan. */
const EQUIVALENT: Readonly<Record<string, string>> = {
  CLOCK_STEP:
    "tells a response at the very time of a request from a later one: no two times of a clock differ by less than 5 times as much (`performance.now`, and 0.01 in the model), so the double and the half tell the same",
  RENEWAL_MILLIS:
    "bounds how old a class may be, of the 30 s that one takes: no trace has two groups that change places within that second",
  MOST_KNOWN:
    "bounds a memory of limits that were read: a text that is forgotten is read again, with the same result",
  MOST_STEPS:
    "bounds a memory of `stepAt`, which depends on nothing but its arguments: a step that is forgotten is computed again, with the same result",
};

interface Mutant {
  readonly file: string;
  readonly name: string;
  readonly factor: number;
  readonly statement: string;
  readonly changed: string;
}

const mutants: ReadonlyArray<Mutant> = files.flatMap((file) =>
  [...readFileSync(join(root, file), "utf8").matchAll(CONSTANT)].flatMap(
    ([statement, name = "", value = ""]) =>
      [2, 0.5].map((factor) => ({
        file,
        name,
        factor,
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

/** Loads the model and the planner anew, with one constant changed; -1 is the original. */
const load = async (index: number) => {
  const at = (path: string): string => `${pathToFileURL(join(root, path)).href}?mutant=${index}`;
  const { lateServers, regimes } = (await import(at("test/model/regimes.ts"))) as typeof Regimes;
  const { steps } = (await import(at("test/model/simulate.ts"))) as typeof Simulation;
  const { queueTraces } = (await import(at("test/model/queueTrace.ts"))) as typeof Traces;
  return { plans: [...lateServers, ...regimes], steps, queueTraces };
};

registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context);
    const mutant = /\?mutant=-?\d+$/u.exec(context.parentURL ?? "")?.[0];
    const isOwn = resolved.url.startsWith(pathToFileURL(root).href);
    return mutant && isOwn && !resolved.url.includes("?")
      ? { ...resolved, url: resolved.url + mutant }
      : resolved;
  },
  load: (url, context, next) => {
    const loaded = next(url, context);
    const [file = "", index] = url.split("?mutant=");
    const mutant = mutants[Number(index ?? -1)];
    if (!mutant || file !== pathToFileURL(join(root, mutant.file)).href) return loaded;
    const source = String(loaded.source);
    const changed = source.replace(mutant.statement, mutant.changed);
    if (changed === source) throw new Error(`${mutant.name} was not changed`);
    return { ...loaded, source: changed };
  },
});

/** Of every plan the checksum of its requests after each event. */
interface Original {
  readonly traces: string;
  readonly events: ReadonlyArray<ReadonlyArray<number>>;
}

const record = async (): Promise<Original> => {
  const { plans, queueTraces, steps } = await load(-1);
  const events = plans.map((plan) => {
    const seen: Array<number> = [];
    const run = steps(plan, 1, undefined, (checksum) => seen.push(checksum));
    for (let step = run.next(); !step.done;) step = run.next(step.value);
    return seen;
  });
  return { traces: JSON.stringify(await queueTraces()), events };
};

/** The slices in which plans are compared, as shares of all events. */
const SLICES = [0.01, 0.03, 0.1, 0.3, 1];

/** Which plan differs first, or `undefined`. */
const difference = async (original: Original, index: number): Promise<string | undefined> => {
  const { plans, queueTraces, steps } = await load(index);
  if (JSON.stringify(await queueTraces()) !== original.traces) return "the queue";
  const runs = plans.map((plan, at) => {
    const expected = original.events[at]!;
    const seen = { events: 0, isSame: true };
    const run = steps(plan, 1, undefined, (checksum) => {
      if (expected[seen.events++] !== checksum) seen.isSame = false;
    });
    let step: IteratorResult<number, unknown> | undefined;
    /** Runs until so many events have happened; says whether they are those of the original. */
    const isSameUntil = (total: number): boolean => {
      while (seen.isSame && seen.events < total && !step?.done) step = run.next(step?.value ?? 0);
      return seen.isSame && seen.events >= total;
    };
    return { name: plan.name, total: expected.length, isSameUntil };
  });
  for (const share of SLICES)
    for (const { isSameUntil, name, total } of runs)
      if (!isSameUntil(Math.ceil(total * share))) return name;
  return undefined;
};

const work = async (): Promise<void> => {
  const original = await record();
  process.on("message", (index: number) => {
    difference(original, index).then(
      (by) => process.send!({ index, by }),
      // A planner that throws is told from one that does not.
      (error: Error) => process.send!({ index, by: `an error: ${error.message}` }),
    );
  });
  process.send!({});
};

const lead = async (): Promise<void> => {
  const only = option("only");
  const started = performance.now();
  const chosen = [...mutants.keys()].filter((index) => !only || mutants[index]!.name === only);
  if (chosen.length === 0) throw new Error(`there is no constant ${only}`);
  const waiting = chosen.toReversed();
  const missed: Array<string> = [];
  const wrong: Array<string> = [];
  let caught = 0;
  let equivalent = 0;
  const judge = ({ by, index }: { by?: string; index: number }): void => {
    const { factor, file, name } = mutants[index]!;
    const proof = EQUIVALENT[name];
    const what = `${name} × ${factor} (${file})`;
    if (by === undefined && proof) equivalent++;
    else if (by === undefined) missed.push(what);
    else if (proof) wrong.push(what);
    else caught++;
    const result =
      by === undefined ? (proof ? `equivalent: ${proof}` : "MISSED") : `caught by ${by}`;
    console.log(`${what}: ${result}`);
  };
  const workers = Array.from({ length: Number(option("workers") ?? 2) }, async () => {
    const worker = fork(import.meta.filename, ["--worker"]);
    await new Promise<void>((resolve, reject) => {
      worker.once("exit", (code) => reject(new Error(`a worker ended with ${code}`)));
      worker.on("message", (message: { by?: string; index?: number }) => {
        if (message.index !== undefined) judge({ ...message, index: message.index });
        const next = waiting.pop();
        if (next === undefined) resolve();
        else worker.send(next);
      });
    });
    worker.kill();
  });
  await Promise.all(workers);
  const seconds = Math.round((performance.now() - started) / 1000);
  const constants = new Set(
    chosen.map((index) => `${mutants[index]!.file} ${mutants[index]!.name}`),
  );
  console.log(
    JSON.stringify({
      constants: constants.size,
      mutants: chosen.length,
      caught,
      equivalent,
      missed,
      wrong,
      seconds,
    }),
  );
  process.exitCode = missed.length + wrong.length > 0 ? 1 : 0;
};

await (process.argv.includes("--worker") ? work() : lead());
