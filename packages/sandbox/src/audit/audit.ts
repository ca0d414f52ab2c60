/**
 * Audits a program: runs it against a sandbox of its own for each scenario, and asks every rule
 * what it found.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import type { SandboxOptions } from "../Config.ts";
import { ProgramNotStarted } from "../Errors.ts";
import { programEnvironment } from "../programEnvironment.ts";
import type { SandboxInfo } from "../sandboxInfo.ts";
import { infoOf, serve } from "../StartSandbox.ts";
import { type AuditReport, publicOf, report, scopesOf } from "./report.ts";
import type { Run } from "./rules.ts";
import type { Scenario } from "./scenarios.ts";

/** Options of an audit. */
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
    await startScenario(info, scenario.name);
    const { journal } = application.service;
    const made = programEnvironment(info, clientId, env, options.sandbox?.words);
    try {
      const ended = await runProgram(command, made.env, timeoutMillis);
      return {
        ...ended,
        scenario: scenario.name,
        entries: journal.read(),
        publicClients: publicOf(info.clients),
        scopesOf,
      };
    } finally {
      made.remove();
    }
  } finally {
    await close();
  }
};

const startScenario = async (
  { controlKey, controlUrl }: SandboxInfo,
  name: string,
): Promise<void> => {
  const response = await fetch(`${controlUrl}/scenarios`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(controlKey === undefined ? {} : { authorization: `Bearer ${controlKey}` }),
    },
    body: JSON.stringify({ name }),
  });
  if (!response.ok) throw new Error(`scenario ${name}: ${await response.text()}`);
};

/** Milliseconds that a program has to end by itself after SIGTERM. */
const GRACE_MILLIS = 3_000;

const runProgram = (
  [program = "", ...args]: ReadonlyArray<string>,
  env: NodeJS.ProcessEnv,
  timeoutMillis: number,
): Promise<{ readonly exit: number; readonly isTimeout: boolean }> =>
  new Promise((resolve, reject) => {
    // The program's output goes to stderr: stdout is the report's.
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
