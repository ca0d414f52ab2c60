#!/usr/bin/env node
/**
 * `tree-link vectors|fuzz [--seed N] [--cases N] [--seconds N] -- COMMAND`: tests a codec in any
 * language. Asks the program in JSON lines, and prints what differs as JSON lines.
 *
 * Exit codes: 0 nothing differs, 1 something does, 2 the program ended, did not answer within ten
 * seconds or skipped every question, or the command line is wrong. `vectors/README.md` describes
 * the questions.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Finding, session } from "../Fuzz.ts";
import { Program, ProgramEnded } from "./Program.ts";
import { accepts, questionsOf, toAscii, type VectorFile } from "../Vectors.ts";

const USAGE = `Usage: tree-link vectors -- COMMAND
       tree-link fuzz [--seed N] [--cases N] [--seconds N] -- COMMAND

The command reads one JSON object a line, {"decode":"…"} or {"encode":{…}}, and answers each with one
line: {"ok":true,"link":{…}}, {"ok":true,"payload":"…"}, {"ok":false}, or {"skip":true}.
`;

const count = (name: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new Error(`--${name} takes a whole number`);
  return value;
};

/** Longest text of an input that is printed: a link of full lists has thousands of characters. */
const MAX_PRINTED = 20_000;

const print = (value: object): void => {
  const text = toAscii(value);
  console.log(text.length > MAX_PRINTED ? `${text.slice(0, MAX_PRINTED)}…` : text);
};

const runVectors = async (program: Program): Promise<number> => {
  const path = new URL("../../vectors/tree-link.json", import.meta.url);
  const { cases } = JSON.parse(readFileSync(path, "utf8")) as VectorFile;
  const asked = cases.flatMap((one) => questionsOf(one).map((question) => ({ one, ...question })));
  const answers = await program.ask(asked.map(({ question }) => question));
  let [failed, skipped] = [0, 0];
  asked.forEach(({ one, question, ...right }, i) => {
    const answer = answers[i];
    if (answer === undefined) return skipped++;
    if (accepts(right, answer)) return undefined;
    const { flags, id, note, result } = one;
    print({ id, flags, note, result, input: question, found: answer });
    return failed++;
  });
  const total = { questions: asked.length, failed, skipped, cases: cases.length };
  console.error(JSON.stringify(total));
  return differences(failed, asked.length - skipped);
};

const runFuzz = async (
  program: Program,
  options: { readonly cases?: number; readonly seconds?: number; readonly seed?: number },
): Promise<number> => {
  const run = session(options);
  let [answered, skipped] = [0, 0];
  let step = run.next();
  while (step.done !== true) {
    const answers = await program.ask(step.value);
    const given = answers.filter((answer) => answer !== undefined).length;
    answered += given;
    skipped += answers.length - given;
    step = run.next(answers);
  }
  const { cases, findings } = step.value;
  findings.forEach((finding: Finding) => print(finding));
  const seed = options.seed ?? 1;
  console.error(JSON.stringify({ cases, findings: findings.length, skipped, seed }));
  return differences(findings.length, answered);
};

/** A program that did nothing did nothing wrong, and is not tested. */
const differences = (found: number, answered: number): number => {
  if (answered === 0) throw new Error("the program answered no question");
  return found;
};

const main = async (args: ReadonlyArray<string>): Promise<number> => {
  const end = args.indexOf("--");
  const { positionals, values } = parseArgs({
    args: args.slice(0, end < 0 ? args.length : end),
    allowPositionals: true,
    options: {
      seed: { type: "string" },
      cases: { type: "string" },
      seconds: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) {
    console.log(USAGE);
    return 0;
  }
  const command = end < 0 ? [] : args.slice(end + 1);
  const [kind] = positionals;
  if (command.length === 0 || positionals.length !== 1 || (kind !== "vectors" && kind !== "fuzz"))
    throw new Error(USAGE);
  const options = {
    ...(values.seed === undefined ? {} : { seed: count("seed", values.seed)! }),
    ...(values.cases === undefined ? {} : { cases: count("cases", values.cases)! }),
    ...(values.seconds === undefined ? {} : { seconds: count("seconds", values.seconds)! }),
  };
  const program = new Program(command);
  try {
    const failed = await (kind === "vectors" ? runVectors(program) : runFuzz(program, options));
    return failed > 0 ? 1 : 0;
  } finally {
    program.end();
  }
};

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (error instanceof ProgramEnded) print({ error: error.message, input: error.question });
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
