/**
 * Audits a program. Runs it without faults first, then once per scenario, each time against a new
 * sandbox. Then every rule checks the requests and the end of each run.
 */
import * as Effect from "effect/Effect";
import type { SandboxOptions } from "../Options.ts";
import { controlOf } from "../control.ts";
import { programEnvironment } from "../programEnvironment.ts";
import { serve } from "../Sandbox.ts";
import type { Journal } from "../journal/Journal.ts";
import type { ProgramEnd, ReusedKind } from "./rules/model.ts";
import { runProgram } from "./runProgram.ts";
import { publicOf, report, type Requirement } from "./report.ts";
import type { Run } from "./rules.ts";
import { fitScenario, isMet, type Scenario, scenarioOf } from "./scenarios.ts";

export interface AuditOptions {
  readonly sandbox?: SandboxOptions | undefined;
  /** The seeded client whose id and secret are passed to the program. Default `example-web`. */
  readonly clientId?: string | undefined;
  /**
   * Scenarios of the audit. `baseline`, without faults, always runs first. Any other scenario runs
   * only if its faults match requests of the baseline.
   */
  readonly scenarios: ReadonlyArray<Scenario>;
  /**
   * Milliseconds after which a run is ended. Default: two minutes for the baseline, and then five
   * times its duration, but 12 to 120 seconds, and never less than `forMillis`.
   */
  readonly timeoutMillis?: number | undefined;
  /** Milliseconds after which each run gets SIGTERM, for a service that does not end by itself. */
  readonly forMillis?: number | undefined;
  /** Rules that must be exercised. Otherwise the audit exits with 4. */
  readonly require?: Requirement | undefined;
}

const TIMEOUT_MILLIS = 120_000;
/** Minimum time limit of a run, longer than the ten seconds that many clients wait. */
const MIN_TIMEOUT_MILLIS = 12_000;
/** Size of the journal, large enough for every request of a run. */
const JOURNAL = 100_000;
/** Milliseconds after the end of the program in which its sockets and requests end. */
const SOCKETS_CLOSE_MILLIS = 20;

/** Runs `command` through the scenarios, and writes their names to stderr. */
export const audit = Effect.fnUntraced(function* (
  command: ReadonlyArray<string>,
  options: AuditOptions,
) {
  const seen: Seen = { state: new Set(), challenge: new Set(), verifierStart: new Set() };
  const baseline = yield* runScenario(command, scenarioOf("baseline")!, { seen }, options);
  const hasFailed =
    baseline.ended.isTimeout || (baseline.ended.exit !== 0 && !baseline.ended.isRunTimeOver);
  const runs: Array<Run> = [baseline];
  // If the program fails without faults, every scenario would report the same failure.
  for (const scenario of hasFailed ? [] : options.scenarios)
    if (isMet(scenario, baseline.entries))
      runs.push(yield* runScenario(command, scenario, { baseline, seen }, options));
  const { require, scenarios } = options;
  return report(runs, { hasFailed, scenarios, require });
});

/** Returns the time limit of a run, from the duration of the run without faults. */
const timeoutAfter = (ended: ProgramEnd | undefined): number =>
  ended === undefined
    ? TIMEOUT_MILLIS
    : Math.min(TIMEOUT_MILLIS, Math.max(MIN_TIMEOUT_MILLIS, 5 * ended.millis));

const runScenario = Effect.fnUntraced(function* (
  command: ReadonlyArray<string>,
  scenario: Scenario,
  { baseline, seen }: { readonly baseline?: Run; readonly seen: Seen },
  { clientId = "example-web", forMillis, sandbox, ...options }: AuditOptions,
) {
  const fitted = baseline === undefined ? scenario : fitScenario(scenario, baseline.entries);
  const { name, setup, steps = [], summary } = fitted;
  process.stderr.write(`audit: ${name} (${summary})\n`);
  const { state, info, server } = yield* serve({ ...sandbox, journal: JOURNAL });
  const { journal, startedAt } = server;
  yield* Effect.promise(() =>
    controlOf(info).control("POST", "/scenarios", { name, setup, steps }),
  );
  const env = yield* programEnvironment(info, clientId, process.env, sandbox?.words);
  const { timeoutMillis = Math.max(timeoutAfter(baseline?.ended), forMillis ?? 0) } = options;
  const elapsed = () => state.platform.monotonic() - startedAt;
  const ended = yield* runProgram(command, env, { timeoutMillis, forMillis }, elapsed);
  yield* Effect.sleep(SOCKETS_CLOSE_MILLIS);
  return {
    scenario: name,
    entries: journal.read(),
    ended,
    baseline: baseline?.ended,
    reused: reusedIn(journal, seen),
    publicClients: publicOf(info.clients),
  } satisfies Run;
}, Effect.scoped);

/** Values that requests of earlier runs sent. */
type Seen = Readonly<Record<ReusedKind, Set<string>>>;

/** Returns the requests with a value of an earlier run, and adds this run's values to `seen`. */
const reusedIn = (journal: Journal, seen: Seen): Required<Run>["reused"] => {
  const idsOf = (kind: ReusedKind): ReadonlySet<number> => {
    const values = [...journal.idsBy(kind)];
    const again = values.filter(([value]) => seen[kind].has(value)).flatMap(([, ids]) => ids);
    for (const [value] of values) seen[kind].add(value);
    return new Set(again);
  };
  const kinds = Object.keys(seen) as Array<ReusedKind>;
  return Object.fromEntries(kinds.map((kind) => [kind, idsOf(kind)])) as Required<Run>["reused"];
};
