/**
 * Audits a program: runs it against a sandbox of its own for each scenario, and asks every rule
 * what it found.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import type { SandboxOptions } from "../Config.ts";
import { ROUTES } from "../contract.ts";
import { ProgramNotStarted } from "../Errors.ts";
import type { JournalEntry } from "../journal/Journal.ts";
import { programEnvironment } from "../programEnvironment.ts";
import { infoOf, serve } from "../StartSandbox.ts";
import { type AuditRule, RULES, type Run } from "./rules.ts";
import type { ControlRequest, Scenario } from "./scenarios.ts";

/** How a program is audited. */
export interface AuditOptions {
  readonly sandbox?: SandboxOptions | undefined;
  /** The seeded client whose id and secret the program gets. Default `example-web`. */
  readonly clientId?: string | undefined;
  readonly scenarios: ReadonlyArray<Scenario>;
  /** Milliseconds after which a run is ended. Default two minutes. */
  readonly timeoutMillis?: number | undefined;
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** Told before each run. */
  readonly onScenario?: ((scenario: Scenario) => void) | undefined;
}

/** Where a rule was broken. */
export interface BrokenRule {
  readonly scenario: string;
  readonly message: string;
  readonly requests: ReadonlyArray<
    Pick<JournalEntry, "id" | "at" | "method" | "route" | "status" | "clientId">
  >;
}

/** What became of a rule. Not exercised is never a pass. */
export type Verdict = "pass" | "fail" | "warn" | "not exercised";

/** A rule and its result. */
export interface RuleReport extends Pick<AuditRule, "id" | "severity" | "title" | "statement"> {
  readonly verdict: Verdict;
  readonly broken: ReadonlyArray<BrokenRule>;
}

/** The report of an audit. */
export interface AuditReport {
  readonly rules: ReadonlyArray<RuleReport>;
  /** How often each rule was exercised, by its id. */
  readonly exercised: Readonly<Record<string, number>>;
  /** The runs, with the program's exit code and its requests. */
  readonly runs: ReadonlyArray<{
    readonly scenario: string;
    readonly exit: number;
    readonly isTimeout: boolean;
    readonly requests: number;
  }>;
  /** Endpoints that the program never asked. */
  readonly unusedEndpoints: ReadonlyArray<string>;
  /** The program's exit code without faults; 3 where that is 0 and a rule of level error failed. */
  readonly exit: number;
}

/** Exit code of a program that ends well and breaks a rule. */
const EXIT_BROKEN = 3;
const TIMEOUT_MILLIS = 120_000;
/** Every request of a run is kept. */
const JOURNAL = 100_000;

/**
 * Runs `command` through the scenarios. Throws `SandboxError`, `UnknownClient` or
 * `ProgramNotStarted`.
 */
export const audit = async (
  command: ReadonlyArray<string>,
  options: AuditOptions,
): Promise<AuditReport> => {
  const runs: Array<Run> = [];
  for (const scenario of options.scenarios) {
    options.onScenario?.(scenario);
    runs.push(await runScenario(command, scenario, options));
  }
  return report(runs);
};

/** Puts the findings of all rules on some runs together. */
export const report = (runs: ReadonlyArray<Run>): AuditReport => {
  const exercised: Record<string, number> = {};
  const rules = RULES.map(({ check, ...rule }): RuleReport => {
    const broken: Array<BrokenRule> = [];
    for (const run of runs) {
      const found = check(run);
      exercised[rule.id] = (exercised[rule.id] ?? 0) + found.exercised;
      for (const { message, requests } of found.broken)
        broken.push({
          scenario: run.scenario,
          message,
          requests: run.entries.filter(({ id }) => requests.includes(id)).map(shown),
        });
    }
    return { ...rule, broken, verdict: verdictOf(rule, broken.length, exercised[rule.id]!) };
  });
  const asked = new Set(runs.flatMap(({ entries }) => entries.map(({ endpoint }) => endpoint)));
  const exit = runs[0]?.exit ?? 0;
  const isBroken = rules.some(({ verdict }) => verdict === "fail");
  return {
    rules,
    exercised,
    runs: runs.map(({ entries, exit: code, isTimeout, scenario }) => ({
      scenario,
      exit: code,
      isTimeout,
      requests: entries.length,
    })),
    unusedEndpoints: Object.keys(ROUTES).filter((name) => !asked.has(name)),
    exit: exit === 0 && isBroken ? EXIT_BROKEN : exit,
  };
};

const shown = ({ at, clientId, id, method, route, status }: JournalEntry) => ({
  id,
  at,
  method,
  route,
  status,
  clientId,
});

const verdictOf = (
  { severity }: Pick<AuditRule, "severity">,
  broken: number,
  exercised: number,
): Verdict => {
  if (broken > 0) return severity === "error" ? "fail" : "warn";
  return exercised > 0 ? "pass" : "not exercised";
};

const runScenario = async (
  command: ReadonlyArray<string>,
  scenario: Scenario,
  options: AuditOptions,
): Promise<Run> => {
  const { clientId = "example-web", env = process.env, timeoutMillis = TIMEOUT_MILLIS } = options;
  const { application, close } = await serve({ ...options.sandbox, journal: JOURNAL });
  try {
    await application.ready("control");
    const info = infoOf(application);
    const control = async ({ body, method, path }: ControlRequest): Promise<void> => {
      const response = await fetch(`${info.controlUrl}${path}`, {
        method,
        headers: {
          "content-type": "application/json",
          ...(info.controlKey === undefined ? {} : { authorization: `Bearer ${info.controlKey}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    };
    for (const request of scenario.setup) await control(request);
    const { journal } = application.service;
    const stop = journal.subscribe(stepper(scenario, control));
    const made = programEnvironment(info, clientId, env, options.sandbox?.words);
    try {
      const ended = await runProgram(command, made.env, timeoutMillis);
      return {
        ...ended,
        scenario: scenario.name,
        entries: journal.read(),
        publicClients: new Set(
          info.clients.filter(({ kind }) => kind === "public").map((client) => client.clientId),
        ),
        scopesOf: (endpoint) => ROUTES[endpoint]?.scopes ?? OAUTH_SCOPES[endpoint] ?? [],
      };
    } finally {
      stop();
      made.remove();
    }
  } finally {
    await close();
  }
};

const OAUTH_SCOPES: Readonly<Record<string, ReadonlyArray<string>>> = {
  "oauth.revoke": ["oauth:revoke"],
  "oauth.introspect": ["oauth:introspect"],
};

/** Carries out the steps of a scenario as requests come. */
const stepper = (
  { steps = [] }: Scenario,
  control: (request: ControlRequest) => Promise<void>,
): ((entry: JournalEntry) => void) => {
  const left = steps.map((step) => ({ step, seen: 0 }));
  return ({ endpoint, listener }) => {
    for (const one of left) {
      const { after } = one.step;
      const isMatch = after.endpoint === "*" ? listener === "data" : after.endpoint === endpoint;
      if (!isMatch || ++one.seen !== after.count) continue;
      void one.step.do.reduce<Promise<void>>(
        (before, request) => before.then(() => control(request)),
        Promise.resolve(),
      );
    }
  };
};

/** Milliseconds that a program has to end by itself after SIGTERM. */
const GRACE_MILLIS = 3_000;

const runProgram = (
  [program = "", ...args]: ReadonlyArray<string>,
  env: NodeJS.ProcessEnv,
  timeoutMillis: number,
): Promise<{ readonly exit: number; readonly isTimeout: boolean }> =>
  new Promise((resolve, reject) => {
    // What the program prints goes to stderr: stdout is the report's.
    const child: ChildProcess = spawn(program, args, { env, stdio: ["inherit", 2, 2] });
    let isTimeout = false;
    const timer = setTimeout(() => {
      isTimeout = true;
      child.kill("SIGTERM");
      setTimeout(() => child.kill("SIGKILL"), GRACE_MILLIS).unref();
    }, timeoutMillis);
    child.once("error", ({ code, message }: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      reject(new ProgramNotStarted({ program, reason: code ?? message }));
    });
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      resolve({
        exit: code ?? 128 + (signal === null ? 0 : constants.signals[signal]),
        isTimeout,
      });
    });
  });
