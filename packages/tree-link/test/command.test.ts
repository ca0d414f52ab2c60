/** The command, asked in this process; the programs that it tests are small ones of the shell. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { session, type VectorFile } from "@game-data/tree-link/fuzz";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { command } from "../src/command/command.ts";
import { Program } from "../src/command/Program.ts";
import { questionsOf } from "../src/Vectors.ts";

const run = async (...args: ReadonlyArray<string>) => {
  const lines: Array<string> = [];
  const said: Array<string> = [];
  const output = { log: (text: string) => lines.push(text), error: (t: string) => said.push(t) };
  const code = await command(args, output as never);
  return { code, lines, said };
};

/** Waits while a second of the fake timers goes by in each turn. */
const advancing = async <A>(promise: Promise<A>): Promise<A> => {
  const state = { isOver: false };
  const over = () => void (state.isOver = true);
  promise.then(over, over);
  while (!state.isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    await vi.advanceTimersByTimeAsync(1_000);
  }
  return promise;
};

/** Whether a process runs: one that has ended may still wait for its parent to ask. */
const isRunning = (id: number): boolean => {
  const stat = `/proc/${id}/stat`;
  try {
    process.kill(id, 0);
    return !existsSync(stat) || !/\) Z /.test(readFileSync(stat, "utf8"));
  } catch {
    return false;
  }
};

/** The arguments for a program of the shell. */
const shell = (script: string, ...args: ReadonlyArray<string>) => ["sh", "-c", script, ...args];
/** A program that answers every question with the same line. */
const constant = (line: string) => shell(`while read -r _; do printf '%s\\n' '${line}'; done`);
const ONE = { decode: "AAAABAAAAA==" };
const ask = async (line: string, question: object = ONE) => {
  const program = new Program(constant(line));
  const answers = await program.ask([question as typeof ONE]);
  program.end();
  return answers;
};

const file = join(import.meta.dirname, "../vectors/tree-link.json");
const { cases } = JSON.parse(readFileSync(file, "utf8")) as VectorFile;
const questions = cases.flatMap((one) => questionsOf(one).map((right) => ({ one, ...right })));
/** What an answer to every vector differs from. */
const failing = questions.filter(({ accepts }) => !accepts.includes(undefined));

describe("the command line", () => {
  it.each(["--help", "-h"])("is explained for %s", async (flag) => {
    const { code, lines, said } = await run(flag);
    expect([code, said]).toEqual([0, []]);
    expect(lines[0]).toMatch(/^Usage: tree-link vectors -- COMMAND\n/);
    expect(lines[0]).toContain("--timeout N: seconds to wait for an answer, 10");
  });

  it.each(["", "fuzz", "fuzz --", "-- vectors", "fu zz -- x", "fuzz fuzz -- x", "other -- x"])(
    "is explained where it is wrong: %s",
    async (args) => {
      const usage = (await run("--help")).lines;
      const words = args.split(" ").filter((word) => word !== "");
      expect(await run(...words)).toEqual({ code: 2, lines: [], said: usage });
    },
  );

  it.each([
    [["--cases", "x"], "--cases takes a whole number"],
    [["--cases=-1"], "--cases takes a whole number"],
    [["--seed", "1.5"], "--seed takes a whole number"],
    [["--seconds", ""], undefined],
    [["--seconds", "soon"], "--seconds takes a whole number"],
    [["--timeout", "x"], "--timeout takes a whole number"],
  ])("takes numbers: %j", async (args, message) => {
    const { code, lines, said } = await run("fuzz", ...args, "--", ...constant('{"ok":false}'));
    expect(lines).toEqual([]);
    if (message === undefined) expect(said).toContain("the program answered no question");
    else expect(said).toEqual([message]);
    expect(code).toBe(2);
  });

  it("has no other options", async () => {
    const { code, said } = await run("fuzz", "--nope", "--", ...constant("x"));
    expect([code, said[0]]).toEqual([2, expect.stringContaining("'--nope'")]);
  });
});

describe("vectors", () => {
  it("prints each case that a program fails, and the total", async () => {
    const { code, lines, said } = await run("vectors", "--", ...constant('{"ok":false}'));
    expect(code).toBe(1);
    expect(lines).toHaveLength(failing.length);
    const { flags, id, note, result } = failing[0]!.one;
    const { question } = failing[0]!;
    const first = { id, flags, note, result, input: question, found: {} };
    expect(JSON.parse(lines[0]!)).toEqual(first);
    const total = { questions: questions.length, failed: failing.length, skipped: 0 };
    expect(said).toEqual([JSON.stringify({ ...total, cases: cases.length })]);
  });

  it("cuts what is too long to be read, and nothing else", async () => {
    const { lines } = await run("vectors", "--", ...constant('{"ok":false}'));
    const cut = lines.filter((line) => line.endsWith("…"));
    expect(cut.length).toBeGreaterThan(0);
    expect(new Set(cut.map((line) => line.length))).toEqual(new Set([20_001]));
    expect(Math.max(...lines.map((line) => line.length))).toBe(20_001);
  });

  it("passes what a program says it cannot do, and what is right", async () => {
    // Answers those questions that a refusal answers.
    const right = questions.map(({ accepts }) =>
      accepts.includes(undefined) ? '{"ok":false}' : '{"skip":true}',
    );
    const script = `while read -r _; do printf '%s\\n' "$1"; shift; done`;
    const outcome = await run("vectors", "--", ...shell(script, "sh", ...right));
    const total = { questions: questions.length, failed: 0, skipped: failing.length };
    const said = [JSON.stringify({ ...total, cases: cases.length })];
    expect(outcome).toEqual({ code: 0, lines: [], said });
  });

  it("learns nothing of a program that skips all", async () => {
    const { code, lines, said } = await run("vectors", "--", ...constant('{"skip":true}'));
    expect([code, lines, said.at(-1)]).toEqual([2, [], "the program answered no question"]);
  });
});

describe("fuzz", () => {
  it("prints each finding, and the total with the seed", async () => {
    const args = ["fuzz", "--seed", "7", "--cases", "30", "--", ...constant("nonsense")];
    const { code, lines, said } = await run(...args);
    expect(code).toBe(1);
    const findings = lines.map((line) => JSON.parse(line));
    expect(findings.map(({ kind }) => kind)).toEqual(["encode throws", "decode throws"]);
    expect(findings[0]).toMatchObject({ found: "threw answer nonsense" });
    expect(said).toEqual([JSON.stringify({ cases: 30, findings: 2, skipped: 0, seed: 7 })]);
  });

  it("takes the first seed, and learns nothing of a program that skips all", async () => {
    const { code, said } = await run("fuzz", "--cases", "20", "--", ...constant('{"skip":true}'));
    const total = JSON.stringify({ cases: 20, findings: 0, skipped: 20, seed: 1 });
    expect([code, said]).toEqual([2, [total, "the program answered no question"]]);
  });

  it("passes a program that says what it cannot do", async () => {
    // It refuses what is no version: the bytes of this text are no link.
    const script = `while read -r line; do case $line in '{"decode":""}') echo '{"ok":false}';; *) echo '{"skip":true}';; esac; done`;
    const { code, lines, said } = await run("fuzz", "--cases", "40", "--", ...shell(script));
    expect([code, lines]).toEqual([0, []]);
    expect(said).toEqual([JSON.stringify({ cases: 40, findings: 0, skipped: 39, seed: 1 })]);
  });

  it("ends the program", async () => {
    const end = vi.spyOn(Program.prototype, "end");
    await run("fuzz", "--cases", "1", "--", ...constant('{"ok":false}'));
    expect(end).toHaveBeenCalledOnce();
    end.mockRestore();
  });

  it("ends after its seconds", async () => {
    const { said } = await run("fuzz", "--seconds", "0", "--", ...constant('{"ok":false}'));
    expect(said[0]).toBe(JSON.stringify({ cases: 0, findings: 0, skipped: 0, seed: 1 }));
  });
});

describe("a program", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it.each([[["vectors"]], [["fuzz", "--cases", "40"]]])(
    "that prints more lines than answers is no tested one: %j",
    async (kind) => {
      const noisy = "while read -r _; do echo $0; echo $0; done";
      const { code, lines, said } = await run(...kind, "--", ...shell(noisy, "x".repeat(300)));
      const message = `the program printed more lines than answers: ${"x".repeat(200)}`;
      expect([code, lines, said]).toEqual([2, [], [message]]);
    },
  );

  it("may stay when its input has ended", async () => {
    const script = `while read -r _; do echo '{"ok":false}'; done; exec sleep 30`;
    const fuzz = ["fuzz", "--cases", "1", "--timeout", "9999999999"];
    expect((await advancing(run(...fuzz, "--", ...shell(script)))).code).toBe(1);
  });

  it("that ends is told with the question that it did not answer", async () => {
    const one = await run("fuzz", "--", ...shell("read -r _; echo '{\"skip\":true}'"));
    const [, second] = session().next().value as ReadonlyArray<object>;
    expect(one.code).toBe(2);
    expect(one.lines.map((line) => JSON.parse(line))).toEqual([
      { error: "the program ended, with exit code 0", input: second },
    ]);
    expect(one.said).toEqual(["the program ended, with exit code 0"]);
  });

  it("that takes no question harms nobody", async () => {
    const thrown: Array<unknown> = [];
    const others = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException");
    process.on("uncaughtException", (error) => thrown.push(error));
    try {
      const asked = new Program(["true"]).ask(Array.from({ length: 20_000 }, () => ONE));
      await expect(asked).rejects.toThrow("the program ended, with exit code 0");
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    } finally {
      process.removeAllListeners("uncaughtException");
      for (const listener of others) process.on("uncaughtException", listener);
    }
    expect(thrown).toEqual([]);
  });

  it("that does not exist is named", async () => {
    const { code, lines, said } = await run("vectors", "--", "/no/such/program");
    expect([code, said]).toEqual([2, ["the program: spawn /no/such/program ENOENT"]]);
    expect(JSON.parse(lines[0]!)).toMatchObject({ error: said[0] });
  });

  it.each([
    [[], 10],
    [["--timeout", "3"], 3],
  ])("that is silent is not waited for, with %j", async (timeout, seconds) => {
    const silent = run("vectors", ...timeout, "--", ...shell("exec sleep 30"));
    await vi.advanceTimersByTimeAsync(seconds * 1_000 - 1);
    expect(await Promise.race([silent, Promise.resolve("waiting")])).toBe("waiting");
    await vi.advanceTimersByTimeAsync(1);
    expect((await silent).said).toEqual([`no answer within ${seconds} s`]);
    // Nothing keeps the process alive once the program has ended.
    await ask('{"ok":false}');
    while (vi.getTimerCount() > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  it("is an error of its own, with a page", async () => {
    const program = new Program(["false"]);
    const error = await program.ask([ONE]).catch((cause: unknown) => cause);
    expect(error).toMatchObject({
      name: "ProgramEnded",
      question: ONE,
      help: "https://game-data.github.io/game-data/errors/programended/",
    });
  });

  it("that closes its output, and stays, is told", async () => {
    const program = new Program(shell("read -r _; exec 1>&-; exec sleep 30"), 1e9);
    const error = await advancing(program.ask([ONE]).catch((cause: unknown) => cause));
    expect(error).toMatchObject({ message: "the program closed its output", question: ONE });
    program.end();
  });

  it("that prints more when its input ends is no tested one", async () => {
    const script = `while read -r _; do echo '{"ok":false}'; done; echo late`;
    const { said } = await run("fuzz", "--cases", "1", "--", ...shell(script));
    expect(said).toEqual(["the program printed more lines than answers: late"]);
  });

  const stubborn = "(trap '' TERM; exec sleep 30)";
  it.each<[string, string, string?]>([
    ["with the run", 'echo "$$"; exec sleep 30'],
    ["with what it started, which does not heed it", `${stubborn} & echo "$$ $!"; wait`],
    ["when neither heeds it", `trap '' TERM; sleep 30 & echo "$$ $!"; wait; sleep 30`],
    // As on Windows.
    ["where the system has no groups", 'echo "$$"; exec sleep 30', "no groups"],
  ])("is ended %s", async (_, script, without) => {
    const program = new Program(shell(`read -r _; ${script}`));
    const ids = [...JSON.stringify(await program.ask([ONE])).matchAll(/\d+/gu)].map(Number);
    expect(ids).toHaveLength(script.includes("$!") ? 2 : 1);
    const { kill } = process;
    const killed = vi.spyOn(process, "kill").mockImplementation((id, signal) => {
      if (id < 0 && without !== undefined) throw new Error(without);
      return kill.call(process, id, signal);
    });
    try {
      program.end();
      expect(killed).toHaveBeenCalledWith(-ids[0]!, "SIGTERM");
      // Fake seconds go by until the signal has its effect.
      while (ids.some(isRunning)) await advancing(new Promise((resolve) => setImmediate(resolve)));
    } finally {
      killed.mockRestore();
    }
  });

  it("is let go, though what left its group holds its output", async () => {
    const pipes = () => process.getActiveResourcesInfo().filter((one) => one === "PipeWrap").length;
    const leaves = `const { pid } = require("node:child_process").spawn("sleep", ["30"], {
      detached: true, stdio: "inherit" }); process.stdin.once("data", () => console.log(pid))`;
    const program = new Program([process.execPath, "-e", leaves]);
    const id = Number(/\d+/u.exec(JSON.stringify(await program.ask([ONE])))![0]);
    const held = pipes();
    program.end();
    // Its input and its output.
    while (pipes() > held - 2) await new Promise((resolve) => setImmediate(resolve));
    expect(isRunning(id)).toBe(true);
    process.kill(id, "SIGKILL");
  });

  it.each([
    ['{"ok":false}', { value: undefined }],
    ['{"skip":true}', undefined],
    ['{"ok":true,"link":7}', { value: 7 }],
    ['{"ok":true,"payload":"x"}', { thrown: 'answer {"ok":true,"payload":"x"}' }],
    ['{"link":7}', { thrown: 'answer {"link":7}' }],
    ["{}", { thrown: "answer {}" }],
    ["null", { thrown: "answer null" }],
    ["x".repeat(300), { thrown: `answer ${"x".repeat(200)}` }],
  ])("answers %s", async (line, answer) => {
    expect(await ask(line)).toEqual([answer]);
  });

  it("answers a link with a payload", async () => {
    const written = await ask('{"ok":true,"payload":"x"}', { encode: {} });
    expect(written).toEqual([{ value: "x" }]);
    const read = await ask('{"ok":true,"link":7}', { encode: {} });
    expect(read).toEqual([{ thrown: 'answer {"ok":true,"link":7}' }]);
  });
});
