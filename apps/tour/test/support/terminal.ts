/**
 * A terminal to type at: a pseudo terminal that `script` of util-linux holds open, without anything
 * native to build.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";

const MAIN = join(import.meta.dirname, "../../src/main.ts");

/** The tour at a terminal. */
export interface Terminal {
  /** All that was shown so far, control sequences included. */
  readonly text: () => string;
  /** Waits until something is shown. */
  readonly shows: (what: RegExp) => Promise<RegExpExecArray>;
  readonly type: (keys: string) => void;
  readonly exit: Promise<number | null>;
}

/** Ctrl-C, as a terminal sends it. */
export const CTRL_C = "\u0003";

/** Starts the tour at a terminal of its own. */
export const atTerminal = (
  script: string,
  args: ReadonlyArray<string> = [],
  env: Readonly<Record<string, string>> = {},
): Terminal => {
  const command = ["stty cols 110 rows 40; exec", process.execPath, MAIN, ...args].join(" ");
  const { FORCE_COLOR: _, NO_COLOR: __, CI: ___, ...inherited } = process.env;
  const child = spawn(
    script,
    ["--quiet", "--return", "--flush", "--command", command, "/dev/null"],
    {
      env: { ...inherited, TERM: "xterm-256color", ...env },
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  let text = "";
  const waiting = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (more: string) => {
    text += more;
    for (const look of waiting) look();
  });
  const exit = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  const shows = (what: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const found = what.exec(text);
        if (found === null) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
      void exit.then(() => reject(new Error(`it ended before it showed ${what}:\n${text}`)));
    });
  return { text: () => text, shows, type: (keys) => child.stdin.write(keys), exit };
};
