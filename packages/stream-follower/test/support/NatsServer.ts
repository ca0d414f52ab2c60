/** A NATS server of the test's own, with JetStream, on loopback. */
import { freePort, isListening } from "@game-data/test-support";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { endWithUs } from "./watchdog.ts";

export const startNats = async (program: string) => {
  const folder = mkdtempSync(join(tmpdir(), "nats-"));
  const port = await freePort();
  const options = ["-a", "127.0.0.1", "-p", String(port), "-js", "-sd", folder];
  const start = async () => {
    const child = endWithUs(spawn(program, options, { stdio: "ignore" }));
    while (!(await isListening(port))) {
      if (child.exitCode !== null) throw new Error(`nats-server ended with ${child.exitCode}`);
      await sleep(50);
    }
    return child;
  };
  let running = await start();
  const stop = async (signal: NodeJS.Signals) => {
    const ended = once(running, "exit");
    running.kill(signal);
    await ended;
  };
  return {
    url: `nats://127.0.0.1:${port}`,
    /** Ends the server as a crash does, and starts it again. */
    restart: async () => {
      await stop("SIGKILL");
      running = await start();
    },
    close: async () => {
      await stop("SIGKILL");
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};
