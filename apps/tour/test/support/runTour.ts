/** Runs the program as a person without a terminal would. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";

const MAIN = join(import.meta.dirname, "../../src/main.ts");

/** How a run ended, and what it printed. */
export interface Told {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the tour to its end; `watch` sees stdout grow. */
export const runTour = (
  args: ReadonlyArray<string>,
  options: {
    readonly env?: Readonly<Record<string, string>>;
    readonly watch?: (out: string, child: ChildProcess) => void;
  } = {},
): Promise<Told> =>
  new Promise((resolve, reject) => {
    const { FORCE_COLOR: _, GAME_DATA_CLIENT_SECRET: __, ...env } = process.env;
    const child = spawn(process.execPath, [MAIN, ...args], {
      env: { ...env, ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let out = "";
    let err = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
      options.watch?.(out, child);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
    child.on("error", reject);
    child.on("close", (exit) => resolve({ exit, out, err }));
  });

/** The counts that a run compared with the files, by their names. */
export const comparisonsIn = (out: string): Readonly<Record<string, readonly [number, number]>> =>
  Object.fromEntries(
    [...out.matchAll(/^ {3}count +tour +files\n((?: {3}\S.*\n)+)/gmu)].flatMap(([, rows = ""]) =>
      [...rows.matchAll(/^ {3}(\S.*?) {2,}(\d+) +(\d+)$/gmu)].map(
        ([, name = "", tour, files]) => [name, [Number(tour), Number(files)] as const] as const,
      ),
    ),
  );
