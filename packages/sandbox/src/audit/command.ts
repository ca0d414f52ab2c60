/** The commands `game-data-sandbox audit` and `scenarios`. Both throw `WrongUsage`. */
import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import { replaceFileWith } from "@game-data/contract/node/replaceFile";
import * as Effect from "effect/Effect";
import { type CommandLine, WrongUsage } from "../commandLine.ts";
import { nearestOf } from "../internal/words.ts";
import { LOG_TO_STDERR } from "../Sandbox.ts";
import { audit } from "./audit.ts";
import type { Requirement } from "./report.ts";
import { RULES } from "./rules.ts";
import { toJUnit, toText } from "./formats.ts";
import { type Scenario, scenarioOf, SCENARIOS } from "./scenarios.ts";

/** File mode of a report, which holds no secret and may be read by other users' tools. */
const READABLE = 0o644;

/** Runs the audit, prints the report, and resolves to the exit code. */
export const auditCommand = async (
  { flags, forMillis, options: sandbox, rest, timeoutMillis }: CommandLine,
  signal?: AbortSignal,
): Promise<number> => {
  const { client: clientId, json = false, junit } = flags;
  if (junit !== undefined) checkWritable(junit);
  const scenarios = flags.scenario?.map(named) ?? SCENARIOS;
  const require = required(flags.require);
  const options = { sandbox, clientId, scenarios, timeoutMillis, forMillis, require };
  const report = await Effect.runPromise(
    audit(rest, options).pipe(Effect.provide(LOG_TO_STDERR)),
    signal && { signal },
  );
  process.stdout.write(json ? `${JSON.stringify(report)}\n` : toText(report));
  if (junit !== undefined) replaceFileWith(junit, toJUnit(report), READABLE);
  return report.exit;
};

/** Throws if the report cannot be written. Called before the runs, because they take minutes. */
const checkWritable = (file: string): void => {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true)
    throw new WrongUsage(`${file} is a folder, no file for a report`);
  try {
    accessSync(dirname(file), constants.W_OK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new WrongUsage(`${file} cannot be written: ${code}`, { cause });
  }
};

/** Reads `--require`: ids of rules with commas between them, or `scenarios`. */
const required = (value: string | undefined): Requirement | undefined => {
  if (value === undefined || value === "scenarios") return value;
  const ids = value.split(",").map((id) => id.trim());
  const known = RULES.map(({ id }) => id);
  const unknown = ids.find((id) => !known.includes(id));
  if (unknown !== undefined)
    throw new WrongUsage(`--require: there is no rule ${unknown}, only ${known.join(", ")}`);
  return ids;
};

const named = (name: string): Scenario => {
  const scenario = scenarioOf(name);
  if (scenario !== undefined) return scenario;
  const names = SCENARIOS.map((one) => one.name);
  const nearest = nearestOf(name, names);
  const hint = nearest === undefined ? `, only ${names.join(", ")}` : `; did you mean ${nearest}?`;
  throw new WrongUsage(`there is no scenario ${name}${hint}`);
};

/** Prints the list of scenarios, or one of them as JSON. */
export const printScenarios = ({ rest: [name] }: CommandLine): void => {
  const text =
    name === undefined
      ? SCENARIOS.map((each) => `${each.name.padEnd(24)}${each.summary}\n`).join("")
      : `${JSON.stringify(named(name), undefined, 2)}\n`;
  process.stdout.write(text);
};
