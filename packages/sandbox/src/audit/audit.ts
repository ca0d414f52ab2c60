/**
 * Audits a program: runs it without faults first, then against a sandbox of its own for each
 * scenario, and asks every rule what it found in the requests and in the program's end.
 */
import * as Effect from "effect/Effect";
import type { SandboxOptions } from "../Options.ts";
import { controlOf } from "../control.ts";
import { programEnvironment } from "../programEnvironment.ts";
import type { ProgramNotStarted, UnknownClient } from "../Errors.ts";
import { LOG_TO_STDERR, serve } from "../Sandbox.ts";
import type { Journal } from "../journal/Journal.ts";
import type { ProgramEnd } from "./rules/model.ts";
import { runProgram } from "./runProgram.ts";
import { type AuditReport, publicOf, report, type Requirement } from "./report.ts";
import type { Run } from "./rules.ts";
import { fitScenario, type Scenario, scenarioOf } from "./scenarios.ts";

export interface AuditOptions {
  readonly sandbox?: SandboxOptions | undefined;
  /** The seeded client whose id and secret the program gets. Default `example-web`. */
  readonly clientId?: string | undefined;
  /** Scenarios of the audit. `baseline`, without faults, always runs first. */
  readonly scenarios: ReadonlyArray<Scenario>;
  /**
   * Milliseconds after which a run is ended. Default: two minutes without faults, and then five times
   * the duration of that run, at least 12 seconds.
   */
  readonly timeoutMillis?: number | undefined;
  /** Milliseconds after which each run gets SIGTERM, for a service that does not end by itself. */
  readonly forMillis?: number | undefined;
  /** Rules that must have been exercised. */
  readonly require?: Requirement | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** Told before each run. */
  readonly onScenario?: ((scenario: Scenario) => void) | undefined;
}

const TIMEOUT_MILLIS = 120_000;
/** Longer than the ten seconds that many clients wait for an answer. */
const LEAST_TIMEOUT_MILLIS = 12_000;
/** Every request of a run is kept. */
const JOURNAL = 100_000;
/** After the program's end: its sockets close, and the requests on them end. */
const SOCKETS_CLOSE_MILLIS = 20;

/**
 * Runs `command` through the scenarios. Throws `SandboxError`, `UnknownClient` or
 * `ProgramNotStarted`.
 */
export const audit = async (
  command: ReadonlyArray<string>,
  options: AuditOptions,
): Promise<AuditReport> => {
  const seen: Seen = { state: new Set(), challenge: new Set(), verifierStart: new Set() };
  const baseline = await runScenario(command, scenarioOf("baseline")!, { seen }, options);
  const runs: Array<Run> = [baseline];
  // A program that fails by itself would be blamed for that in every scenario.
  if (!hasFailed(baseline.ended))
    for (const scenario of options.scenarios)
      if (scenario.name !== "baseline")
        runs.push(await runScenario(command, scenario, { baseline, seen }, options));
  return report(runs, {
    hasFailed: hasFailed(baseline.ended),
    scenarios: options.scenarios,
    require: options.require,
  });
};

/** How long a run may take, by how long the program ran without faults. */
const timeoutAfter = (ended: ProgramEnd | undefined): number =>
  ended === undefined
    ? TIMEOUT_MILLIS
    : Math.min(TIMEOUT_MILLIS, Math.max(LEAST_TIMEOUT_MILLIS, 5 * ended.millis));

/** Whether a program failed, or was ended because it took too long. */
const hasFailed = (ended: ProgramEnd | undefined): boolean =>
  ended !== undefined && (ended.isTimeout || (ended.exit !== 0 && !ended.isAsked));

const runScenario = (
  command: ReadonlyArray<string>,
  scenario: Scenario,
  { baseline, seen }: { readonly baseline?: Run; readonly seen: Seen },
  options: AuditOptions,
): Promise<Run> => {
  const { clientId = "example-web", env = process.env } = options;
  const timeoutMillis = options.timeoutMillis ?? timeoutAfter(baseline?.ended);
  options.onScenario?.(scenario);
  const {
    name,
    setup,
    steps = [],
  } = baseline === undefined ? scenario : fitScenario(scenario, baseline.entries);
  const run = Effect.gen(function* () {
    const { state, info, server } = yield* serve({ ...options.sandbox, journal: JOURNAL });
    const { journal, startedAt } = server;
    yield* Effect.promise(() =>
      controlOf(info).control("POST", "/scenarios", { name, setup, steps }),
    );
    const made = yield* Effect.acquireRelease(
      Effect.try({
        try: () => programEnvironment(info, clientId, env, options.sandbox?.words),
        catch: (cause) => cause as UnknownClient,
      }),
      ({ remove }) => Effect.sync(remove),
    );
    const limits = { timeoutMillis, forMillis: options.forMillis };
    const elapsed = () => state.platform.monotonic() - startedAt;
    const ended = yield* Effect.tryPromise({
      try: () => runProgram(command, made.env, limits, elapsed),
      catch: (cause) => cause as ProgramNotStarted,
    });
    yield* Effect.sleep(SOCKETS_CLOSE_MILLIS);
    return {
      scenario: scenario.name,
      entries: journal.read(),
      ended,
      baseline: baseline?.ended,
      reused: reusedIn(journal, seen),
      publicClients: publicOf(info.clients),
    };
  });
  return Effect.runPromise(run.pipe(Effect.scoped, Effect.provide(LOG_TO_STDERR)));
};

/** What requests of earlier runs carried. */
interface Seen {
  readonly state: Set<string>;
  readonly challenge: Set<string>;
  readonly verifierStart: Set<string>;
}

/** The requests of a run that carry what an earlier run did; the run's own values are added. */
const reusedIn = (journal: Journal, seen: Seen): NonNullable<Run["reused"]> => {
  const idsOf = (kind: keyof Seen): ReadonlySet<number> => {
    const values = [...journal.idsBy(kind)];
    const again = values.filter(([value]) => seen[kind].has(value)).flatMap(([, ids]) => ids);
    for (const [value] of values) seen[kind].add(value);
    return new Set(again);
  };
  return {
    state: idsOf("state"),
    challenge: idsOf("challenge"),
    verifierStart: idsOf("verifierStart"),
  };
};
