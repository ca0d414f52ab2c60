/**
 * The command `tree-link`: tests a codec in any language. Asks the program in JSON lines, and prints
 * what differs as JSON lines.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type FuzzOptions, session } from "../Fuzz.ts";
import { accepts, questionsOf, toAscii, type VectorFile } from "../Vectors.ts";
import { DEFAULT_TIMEOUT, Program, ProgramEnded } from "./Program.ts";

const USAGE = `Usage: tree-link vectors -- COMMAND
       tree-link fuzz [--seed N] [--cases N] [--seconds N] -- COMMAND

Either takes --timeout N: seconds to wait for an answer, ${DEFAULT_TIMEOUT} unless told otherwise.

The command reads one JSON object a line, {"decode":"…"} or {"encode":{…}}, and answers each with one
line: {"ok":true,"link":{…}}, {"ok":true,"payload":"…"}, {"ok":false}, or {"skip":true}.
`;

/** Where the command writes: what differs to `log`, the rest to `error`. */
export type Output = Pick<Console, "log" | "error">;

/** Runs the command. Returns its exit code, see `main.ts`. */
export const command = async (args: ReadonlyArray<string>, output: Output): Promise<number> => {
  try {
    return await run(args, output);
  } catch (error) {
    if (error instanceof ProgramEnded)
      print(output, { error: error.message, input: error.question });
    output.error((error as Error).message);
    return 2;
  }
};

const run = async (args: ReadonlyArray<string>, output: Output): Promise<number> => {
  const end = args.indexOf("--");
  const { positionals, values } = parseArgs({
    args: args.slice(0, end < 0 ? args.length : end),
    allowPositionals: true,
    options: {
      seed: { type: "string" },
      cases: { type: "string" },
      seconds: { type: "string" },
      timeout: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) {
    output.log(USAGE);
    return 0;
  }
  const line = end < 0 ? [] : args.slice(end + 1);
  const kind = positionals.join(" ");
  if (line.length === 0 || (kind !== "vectors" && kind !== "fuzz")) throw new Error(USAGE);
  const options = {
    seed: count("seed", values.seed),
    cases: count("cases", values.cases),
    seconds: count("seconds", values.seconds),
  };
  const program = new Program(line, count("timeout", values.timeout));
  try {
    const failed = await (kind === "vectors"
      ? runVectors(program, output)
      : runFuzz(program, output, options));
    return failed > 0 ? 1 : 0;
  } finally {
    program.end();
  }
};

const count = (name: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new Error(`--${name} takes a whole number`);
  return value;
};

/** Longest text of an input that is printed: a link of full lists has thousands of characters. */
const MAX_PRINTED = 20_000;

const print = (output: Output, value: object): void => {
  const text = toAscii(value);
  output.log(text.length > MAX_PRINTED ? `${text.slice(0, MAX_PRINTED)}…` : text);
};

const runVectors = async (program: Program, output: Output): Promise<number> => {
  const path = new URL("../../vectors/tree-link.json", import.meta.url);
  const { cases } = JSON.parse(readFileSync(path, "utf8")) as VectorFile;
  const asked = cases.flatMap((one) => questionsOf(one).map((question) => ({ one, ...question })));
  const answers = await program.ask(asked.map(({ question }) => question));
  await program.finish();
  let [failed, skipped] = [0, 0];
  asked.forEach(({ one, question, ...right }, i) => {
    const answer = answers[i];
    if (answer === undefined) return skipped++;
    if (accepts(right, answer)) return undefined;
    const { flags, id, note, result } = one;
    print(output, { id, flags, note, result, input: question, found: answer });
    return failed++;
  });
  const total = { questions: asked.length, failed, skipped, cases: cases.length };
  output.error(JSON.stringify(total));
  return differences(failed, asked.length - skipped);
};

const runFuzz = async (program: Program, output: Output, options: FuzzOptions): Promise<number> => {
  const steps = session(options);
  let [answered, skipped] = [0, 0];
  let step = steps.next();
  while (step.done !== true) {
    const answers = await program.ask(step.value);
    const given = answers.filter((answer) => answer !== undefined).length;
    answered += given;
    skipped += answers.length - given;
    step = steps.next(answers);
  }
  await program.finish();
  const { cases, findings } = step.value;
  for (const finding of findings) print(output, finding);
  const seed = options.seed ?? 1;
  output.error(JSON.stringify({ cases, findings: findings.length, skipped, seed }));
  return differences(findings.length, answered);
};

/** A program that did nothing did nothing wrong, and is not tested. */
const differences = (found: number, answered: number): number => {
  if (answered === 0) throw new Error("the program answered no question");
  return found;
};
