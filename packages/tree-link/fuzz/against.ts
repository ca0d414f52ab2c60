/**
 * Differential fuzzing against any program: `pnpm fuzz tree-link --against "python3 my-codec.py"`.
 *
 * The program reads payloads from standard input, one a line, and answers each with one line of
 * JSON on standard output, in the same order: `{"ok":true,"link":{…}}` with the members that
 * `tree-link` uses, or `{"ok":false}`. Other members are ignored, so it may add a reason. Inputs
 * are ASCII without line breaks. Ends with 1 at the first difference, and prints both answers.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { isDeepStrictEqual } from "node:util";
import { safeDecode } from "@game-data/tree-link";

/** Options of `fuzzAgainst`. */
export interface AgainstOptions {
  /** A command line for the shell. */
  readonly command: string;
  readonly minutes: number;
  readonly cases?: number;
  readonly next: () => string;
}

const BATCH = 1_000;
const PRINTABLE = /^[\u0021-\u007e]+$/u;

/** Runs until the time or the cases are over; returns the exit code. */
export const fuzzAgainst = async ({
  cases = Infinity,
  command,
  minutes,
  next,
}: AgainstOptions): Promise<number> => {
  const child = spawn(command, { shell: true, stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.on("error", () => {});
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const started = performance.now();
  const deadline = started + minutes * 60_000;
  let executions = 0;
  while (executions < cases && (Number.isFinite(cases) || performance.now() < deadline)) {
    const batch = Array.from({ length: BATCH }, next).filter((text) => PRINTABLE.test(text));
    if (!child.stdin.write(`${batch.join("\n")}\n`)) {
      await Promise.race([once(child.stdin, "drain"), once(child, "exit")]);
    }
    for (const payload of batch) {
      const { done, value } = await answers.next();
      if (done === true) {
        console.error(`the program ended before it answered ${JSON.stringify(payload)}`);
        return 1;
      }
      const complaint = compareAnswer(payload, value);
      if (complaint !== undefined) {
        console.error(`${complaint}\ninput: ${JSON.stringify(payload)}\nanswer: ${value}`);
        child.stdin.end();
        child.kill();
        return 1;
      }
      executions++;
    }
  }
  child.stdin.end();
  const seconds = (performance.now() - started) / 1000;
  console.log(
    JSON.stringify({
      executions,
      executionsPerSecond: Math.round(executions / seconds),
    }),
  );
  return 0;
};

const compareAnswer = (payload: string, line: string): string | undefined => {
  let answer: { readonly ok?: unknown; readonly link?: unknown };
  try {
    answer = JSON.parse(line) as typeof answer;
  } catch {
    return "the answer is not a line of JSON";
  }
  const expected = safeDecode(payload);
  if (!expected.ok)
    return answer.ok === false
      ? undefined
      : `the payload must be refused: ${expected.error.message}`;
  if (answer.ok !== true) return `the payload is a link: ${JSON.stringify(expected.link)}`;
  return isDeepStrictEqual(answer.link, JSON.parse(JSON.stringify(expected.link)))
    ? undefined
    : `the link is another: ${JSON.stringify(expected.link)}`;
};
