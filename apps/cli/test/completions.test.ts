/** The completion scripts in live shells. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeWithService } from "@game-data/test-support";
import { beforeAll, expect, it } from "vitest";
import { usePrompt } from "./support/gamedata.ts";

const prompt = usePrompt();

/** Writes the completion script of a shell. */
const install = async (shell: string, file: string) => {
  const { code, stdout } = await prompt.run(["--completions", shell]);
  expect(code).toBe(0);
  writeFileSync(join(prompt.home, file), stdout);
};

const run = (program: string, ...args: ReadonlyArray<string>) =>
  execFileSync(program, args, {
    encoding: "utf8",
    env: { PATH: process.env["PATH"] ?? "", HOME: prompt.home, TERM: "dumb" },
    timeout: 90_000,
  });

it("is installed once by a line that reads a file, and removed without a trace", async () => {
  const env = { SHELL: "/bin/bash" };
  const startup = join(prompt.home, ".bashrc");
  writeFileSync(startup, "alias x=y");
  await prompt.json("completion install", { env });
  const { script } = await prompt.json("completion install", { env });
  expect(readFileSync(startup, "utf8").match(/# gamedata completion/gu)).toHaveLength(1);
  const { stdout } = await prompt.run("--completions bash");
  expect(readFileSync(script, "utf8").trim()).toBe(stdout.trim());
  expect(run("bash", "--norc", "-c", ". ~/.bashrc; complete -p gamedata")).toContain("gamedata");
  await prompt.json("completion uninstall", { env });
  expect([readFileSync(startup, "utf8").trim(), existsSync(script)]).toEqual(["alias x=y", false]);
  expect(await prompt.error("completion install", { env: { SHELL: "" } })).toMatchObject({
    exit: 64,
  });
});

/** What is typed, and what it may become. */
const COMPLETED = [
  ["gamedata st", ["stash", "stream"]],
  ["gamedata tree de", ["decode"]],
  ["gamedata ladder --cs", ["--csv"]],
] as const;

it("completes commands and flags in bash", async () => {
  await install("bash", "gamedata.bash");
  const completions = (line: string) => {
    const words = line.split(" ");
    const script = `source gamedata.bash
COMP_WORDS=(${words.map((word) => `"${word}"`).join(" ")})
COMP_CWORD=${words.length - 1} COMP_LINE="${line}" COMP_POINT=${line.length}
_gamedata; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return run("bash", "--norc", "-c", `cd "$HOME"; ${script}`).trimEnd().split("\n");
  };
  for (const [line, words] of COMPLETED) expect(completions(line)).toEqual(words);
});

describeWithService("fish", "in fish", (fish) => {
  beforeAll(() => install("fish", "gamedata.fish"));

  it("completes commands and flags", () => {
    const completions = (line: string) =>
      run(fish, "--no-config", "-c", `source $HOME/gamedata.fish; complete -C '${line}'`)
        .trimEnd()
        .split("\n")
        .map((each) => each.split("\t")[0]);
    for (const [line, words] of COMPLETED) expect(completions(line)).toEqual(words);
  });
});

/** Types a line and Tab into an interactive zsh, and prints what the terminal shows. */
const ZSH = `zmodload zsh/zpty
wait_for() {
  local out="" line
  repeat 400 { zpty -rt z line && out+=$line || sleep 0.05; [[ $out == *$1* ]] && break }
  print -r -- "$out"
}
zpty -b z "PS1='STARTED>' zsh -f -i"
wait_for 'STARTED>' >/dev/null
zpty -w z "PROMPT='REA''DY>'; fpath=($HOME \\$fpath); autoload -Uz compinit; compinit -u -D; bindkey '^I' complete-word; unsetopt beep auto_list"
wait_for 'READY>' >/dev/null
zpty -wn z "$TYPED"$'\\t'
wait_for "$EXPECTED"`;

describeWithService("zsh", "in zsh", (zsh) => {
  beforeAll(() => install("zsh", "_gamedata"));

  it.each([
    ["gamedata whoa", "whoami"],
    ["gamedata tree dec", "decode"],
    ["gamedata stash ex", "export"],
  ])("completes %s", (typed, expected) => {
    const script = `TYPED='${typed}' EXPECTED='${expected}'\n${ZSH}`;
    expect(run(zsh, "-f", "-c", script)).toContain(expected);
  });
});
