/** A program that answers questions about links, one JSON object a line. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { type Answer, type Question, toAscii } from "../Vectors.ts";

/**
 * The program ended, or was silent, before it answered `question`.
 *
 * What to do: ask it this question alone. A program answers each line with one line, and stays.
 */
export class ProgramEnded extends Error {
  override readonly name = "ProgramEnded";
  readonly question: Question;

  constructor(message: string, question: Question) {
    super(message);
    this.question = question;
  }

  /** The address of the error's page. */
  get help(): string {
    return "https://game-data.github.io/game-data/errors/programended/";
  }
}

/** Seconds to wait for an answer, unless told otherwise. */
export const DEFAULT_TIMEOUT = 10;
const KILL_AFTER = 1_000;
/** The longest wait of a timer, in milliseconds; a longer one would end at once. */
const MAX_WAIT = 2 ** 31 - 1;

/** A running program. */
export class Program {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  /** Why there is no further answer. */
  readonly #ended: Promise<string>;
  readonly #timeout: number;

  /**
   * Starts `command`, without a shell; its standard error goes to ours. `timeout` is the time for an
   * answer, in seconds.
   */
  constructor(command: ReadonlyArray<string>, timeout = DEFAULT_TIMEOUT) {
    this.#timeout = timeout;
    const [file, ...args] = command as [string, ...Array<string>];
    this.#child = spawn(file, args, {
      stdio: ["pipe", "pipe", "inherit"],
      // A group of its own: what the program started ends with it, and holds no pipe of ours.
      detached: process.platform !== "win32",
    }) as unknown as ChildProcessWithoutNullStreams;
    this.#ended = new Promise((resolve) => {
      this.#child.once("error", (error) => resolve(`the program: ${error.message}`));
      this.#child.once("exit", (code, signal) =>
        resolve(`the program ended, with ${signal ?? `exit code ${code}`}`),
      );
    });
    // A program that has ended takes no more questions; its missing answer tells.
    // mutant: `"error" → ""` is an error of the process, which no test in it outlives or catches.
    this.#child.stdin.on("error", () => {});
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** Asks all questions, and waits for all answers; `undefined` is what the program cannot do. */
  async ask(questions: ReadonlyArray<Question>): Promise<ReadonlyArray<Answer | undefined>> {
    this.#child.stdin.write(questions.map((one) => `${toAscii(one)}\n`).join(""));
    const answers: Array<Answer | undefined> = [];
    for (const question of questions) answers.push(await this.#answer(question));
    return answers;
  }

  async #answer(question: Question): Promise<Answer | undefined> {
    const line = await this.#nextLine(question);
    try {
      const answer = JSON.parse(line) as Readonly<Record<string, unknown>>;
      if (answer["skip"] === true) return undefined;
      if (answer["ok"] === false) return { value: undefined };
      const value = "decode" in question ? answer["link"] : answer["payload"];
      if (answer["ok"] === true && value !== undefined) return { value };
    } catch {
      // Not JSON: the same as another object.
    }
    return { thrown: `answer ${line.slice(0, 200)}` };
  }

  async #nextLine(question: Question): Promise<string> {
    const next = await this.#next(this.#timeout * 1_000);
    if (next === "silent") throw new ProgramEnded(`no answer within ${this.#timeout} s`, question);
    if (next.done === true) {
      const closed = new Promise<string>((resolve) => {
        setTimeout(resolve, KILL_AFTER, "the program closed its output").unref();
      });
      throw new ProgramEnded(await Promise.race([this.#ended, closed]), question);
    }
    return next.value;
  }

  async #next(within: number): Promise<IteratorResult<string> | "silent"> {
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<"silent">((resolve) => {
      timer = setTimeout(resolve, Math.min(within, MAX_WAIT), "silent");
    });
    const next = await Promise.race([this.#lines.next(), silence]);
    clearTimeout(timer);
    return next;
  }

  /**
   * Closes the input of the program, and refuses one that has printed more than its answers: which
   * line answered which question is not known then.
   */
  async finish(): Promise<void> {
    this.#child.stdin.end();
    const next = await this.#next(KILL_AFTER);
    if (next !== "silent" && next.done !== true)
      throw new Error(`the program printed more lines than answers: ${next.value.slice(0, 200)}`);
  }

  /** Ends the program and what it started; what does not heed is killed after a second. */
  end(): void {
    const { pid, stdin, stdout } = this.#child;
    const signal = (name: NodeJS.Signals): void => {
      try {
        process.kill(-pid!, name);
      } catch {
        // It has ended, or the system has no groups: Windows.
        this.#child.kill(name);
      }
    };
    signal("SIGTERM");
    const late = setTimeout(signal, KILL_AFTER, "SIGKILL");
    void this.#ended.finally(() => {
      clearTimeout(late);
      // Its children may not have heeded the end.
      signal("SIGKILL");
    });
    // What has left the group may hold them.
    for (const pipe of [stdin, stdout]) pipe.destroy();
  }
}
