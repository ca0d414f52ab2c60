/** A NATS server with JetStream, for one test. */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { freePort, isListening } from "./Network.ts";

/** A running server. */
export interface NatsServer {
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** Starts `program`, whose files go into `folder`, and waits until it listens. */
export const startNatsServer = async (program: string, folder: string): Promise<NatsServer> => {
  const port = await freePort();
  const data = join(folder, `jetstream-${port}`);
  // Streams reserve their largest size, which a small disk does not have.
  const config = `${data}.conf`;
  writeFileSync(config, `jetstream { store_dir: "${data}", max_mem: 64MB, max_file: 64GB }\n`);
  const server = spawn(program, ["-a", "127.0.0.1", "-p", String(port), "-c", config], {
    stdio: "ignore",
  });
  const exited = new Promise((resolve) => server.once("exit", resolve));
  await expect.poll(() => isListening(port)).toBe(true);
  return {
    url: `nats://127.0.0.1:${port}`,
    close: async () => {
      server.kill();
      await exited;
    },
  };
};
