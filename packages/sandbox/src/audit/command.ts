/** `game-data-sandbox audit` and `scenarios`. */
import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import { replaceFileWith } from "@game-data/contract/node/replaceFile";
import type { CommandLine } from "../commandLine.ts";
import { nearestOf } from "../internal/nearest.ts";
import { audit } from "./audit.ts";
import type { Requirement } from "./report.ts";
import { RULES } from "./rules.ts";
import { toJUnit, toText } from "./formats.ts";
import { type Scenario, scenarioOf, SCENARIOS } from "./scenarios.ts";

const EX_USAGE = 64;
const EX_NOINPUT = 66;
const EX_UNAVAILABLE = 69;

/** Mode of a report: it holds no secret, and another user's tools may collect it. */
const READABLE = 0o644;

/** Runs the audit, prints the report, and gives the exit code. */
export const auditCommand = async (asked: CommandLine): Promise<number> => {
  const { flags, forMillis, options: sandbox, rest, timeoutMillis } = asked;
  const { client: clientId, junit } = flags;
  let scenarios: ReadonlyArray<Scenario>;
  try {
    required(flags.require);
    checkWritable(junit);
    scenarios = flags.scenario?.map(named) ?? SCENARIOS;
  } catch (cause) {
    return refused(cause);
  }
  try {
    const report = await audit(rest, {
      sandbox,
      clientId,
      scenarios,
      timeoutMillis,
      forMillis,
      require: required(flags.require),
      onScenario: ({ name, summary }) => process.stderr.write(`audit: ${name} (${summary})\n`),
    });
    process.stdout.write(flags.json === true ? `${JSON.stringify(report)}\n` : toText(report));
    if (junit !== undefined) replaceFileWith(junit, toJUnit(report), READABLE);
    return report.exit;
  } catch (cause) {
    const usage = refused(cause);
    const { _tag } = cause as { readonly _tag?: string };
    if (_tag === "UnknownClient") return usage;
    return _tag === "ProgramNotStarted" ? EX_NOINPUT : EX_UNAVAILABLE;
  }
};

const refused = (cause: unknown): number => {
  process.stderr.write(`game-data-sandbox: ${(cause as Error).message}\n`);
  return EX_USAGE;
};

/** Throws if the report cannot be written. Called before the runs, because they take minutes. */
const checkWritable = (file: string | undefined): void => {
  if (file === undefined) return;
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true)
    throw new Error(`${file} is a folder, no file for a report`);
  try {
    accessSync(dirname(file), constants.W_OK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Error(`${file} cannot be written: ${code}`, { cause });
  }
};

/** The rules of `--require`: ids with commas between them, or `scenarios`. */
const required = (value: string | undefined): Requirement | undefined => {
  if (value === undefined || value === "scenarios") return value;
  const ids = value.split(",").map((id) => id.trim());
  const known = RULES.map(({ id }) => id);
  const unknown = ids.find((id) => !known.includes(id));
  if (unknown !== undefined)
    throw new Error(`--require: there is no rule ${unknown}, only ${known.join(", ")}`);
  return ids;
};

const named = (name: string): Scenario => {
  const scenario = scenarioOf(name);
  if (scenario !== undefined) return scenario;
  const names = SCENARIOS.map((one) => one.name);
  const nearest = nearestOf(name, names);
  throw new Error(
    `there is no scenario ${name}${nearest === undefined ? `, only ${names.join(", ")}` : `; did you mean ${nearest}?`}`,
  );
};

/** Prints the list of scenarios, or one of them as JSON. */
export const printScenarios = (name: string | undefined): number => {
  if (name === undefined) {
    for (const { name: each, summary } of SCENARIOS)
      process.stdout.write(`${each.padEnd(24)}${summary}\n`);
    return 0;
  }
  try {
    process.stdout.write(`${JSON.stringify(named(name), undefined, 2)}\n`);
    return 0;
  } catch (cause) {
    return refused(cause);
  }
};
