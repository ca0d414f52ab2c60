/** Runs the tour as a person without a terminal would: in this process, or as a program. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { Host } from "@game-data/terminal/Host";
import { run } from "@game-data/terminal/runMain";
import { testHost } from "@game-data/terminal/testHost";
import { Effect } from "effect";
import { tour as tourCommand } from "../../src/command.ts";

const MAIN = join(import.meta.dirname, "../../src/main.ts");

/** Exit code and output of a run. */
export interface Told {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the tour to its end in this process; `watch` sees stdout grow. */
export const runTour = async (
  args: ReadonlyArray<string>,
  options: {
    readonly env?: Readonly<Record<string, string>>;
    readonly watch?: (out: string) => void;
  } = {},
): Promise<Told> => {
  const { host, stderr, stdout } = testHost(args, { env: options.env, input: "" });
  stdout.on("text", () => options.watch?.(stdout.text));
  const exit = await Effect.runPromise(
    run(tourCommand, { name: "game-data-tour", version: "1.0.0" }).pipe(
      Effect.match({ onSuccess: () => 0, onFailure: ({ exitCode }) => exitCode }),
      Effect.provideService(Host, host),
    ),
  );
  return { exit, out: stdout.text, err: stderr.text };
};

/** Runs the tour to its end as a program. */
export const spawnTour = (args: ReadonlyArray<string>): Promise<Told> =>
  new Promise((resolve, reject) => {
    const { FORCE_COLOR: _, GAME_DATA_CLIENT_SECRET: __, ...env } = process.env;
    const child = spawn(process.execPath, [MAIN, ...args], {
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let out = "";
    let err = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
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
