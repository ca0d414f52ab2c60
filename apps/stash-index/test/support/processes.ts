/**
 * Processes of the program, over a sandbox of the test.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import type { RunningSandbox } from "@game-data/sandbox";

const MAIN = join(import.meta.dirname, "../../src/main.ts");

/** A process of the program. */
export interface Node {
  readonly child: ChildProcess;
  /** Its ready line. */
  readonly ready: Promise<{ readonly url?: string }>;
  /** Ends it with a signal, and waits. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Starts a process with these arguments. */
export const startNode = (sandbox: RunningSandbox, args: ReadonlyArray<string>): Node => {
  const client = sandbox.clients.find(({ clientId }) => clientId === "example-service")!;
  const service = ["--base-url", sandbox.baseUrl, "--auth-url", sandbox.authUrl];
  const child = spawn(
    process.execPath,
    [MAIN, "--json", ...service, "--client-id", client.clientId, "--rate", "100000", ...args],
    {
      env: { ...process.env, GAME_DATA_CLIENT_SECRET: client.clientSecret ?? "" },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let errors = "";
  child.stderr.on("data", (chunk) => (errors = (errors + chunk).slice(-4000)));
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const ready = new Promise<{ readonly url?: string }>((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
      const [line, rest] = text.split("\n");
      if (rest !== undefined) resolve(JSON.parse(line!) as { readonly url?: string });
    });
    void exited.then(() => reject(new Error(`ended before it was ready: ${errors}`)));
  });
  // A process that is killed while it starts is no unhandled rejection.
  ready.catch(() => undefined);
  return {
    child,
    ready,
    end: async (signal) => {
      child.kill(signal);
      await exited;
    },
  };
};

/** Waits until a node's index has every page and hour of a quiet world. */
export const untilIndexed = async (url: string, pages: number, timeout = 60_000): Promise<void> => {
  const deadline = Date.now() + timeout;
  for (;;) {
    const status = await (await fetch(`${url}api/status`)).json();
    const rates = await (await fetch(`${url}api/exchange/currencies?league=Standard`)).json();
    const isFresh =
      (rates.hour ?? 0) * 1000 >= Math.floor(Date.now() / 3_600_000) * 3_600_000 - 3_600_000;
    if (status.seq >= pages && status.behind === 0 && isFresh) return;
    if (Date.now() > deadline)
      throw new Error(
        `not indexed: page ${status.seq}, ${status.behind} behind, rates of ${rates.hour}`,
      );
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};
