/**
 * NATS servers of our own on loopback: one, or three that form a JetStream cluster, each of which
 * may be killed, paused and started again.
 */
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** One server. */
interface NatsNode {
  readonly name: string;
  readonly url: string;
  /** Ends it as a crash does. */
  readonly kill: () => Promise<void>;
  /** Freezes it for a while. */
  readonly pause: (millis: number) => void;
  /** Freezes it, or lets it go on. */
  readonly signal: (signal: "SIGSTOP" | "SIGCONT") => void;
  readonly start: () => void;
  /** Until it accepts clients. */
  readonly ready: () => Promise<void>;
  readonly isRunning: () => boolean;
}

/** Running servers. */
export interface NatsCluster {
  /** All servers, and a prefix of its own for each caller. */
  readonly urlOf: (prefix: string) => string;
  readonly nodes: ReadonlyArray<NatsNode>;
  readonly close: () => Promise<void>;
}

const freePorts = async (count: number): Promise<ReadonlyArray<number>> => {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
      return server;
    }),
  );
  return Promise.all(
    servers.map(async (server) => {
      const address = server.address();
      await new Promise((resolve) => server.close(resolve));
      return typeof address === "object" && address !== null ? address.port : 0;
    }),
  );
};

/** Starts `nodes` servers and waits until they can keep streams. */
export const startCluster = async (program: string, nodes = 1): Promise<NatsCluster> => {
  const folder = mkdtempSync(join(tmpdir(), "nats-"));
  const ports = await freePorts(nodes * 2);
  const routes = ports.slice(nodes).map((port) => `"nats://127.0.0.1:${port}"`);
  const all = Array.from({ length: nodes }, (_, index) => {
    const config = join(folder, `n${index}.conf`);
    const cluster =
      nodes === 1
        ? ""
        : `cluster { name: chaos, listen: "127.0.0.1:${ports[nodes + index]}", routes: [${routes.join(", ")}] }\n`;
    writeFileSync(
      config,
      `server_name: n${index}\nlisten: "127.0.0.1:${ports[index]}"\nmax_payload: 8MB\n` +
        `jetstream { store_dir: "${join(folder, `n${index}`)}", max_mem: 256MB, max_file: 4GB }\n${cluster}`,
    );
    return makeNode(program, config, `n${index}`, `nats://127.0.0.1:${ports[index]}`);
  });
  for (const node of all) node.start();
  const hosts = all.map(({ url }) => url.slice("nats://".length)).join(",");
  const cluster: NatsCluster = {
    urlOf: (prefix) => `nats://${hosts}/${prefix}?replicas=${nodes}`,
    nodes: all,
    close: async () => {
      await Promise.all(all.map(({ kill }) => kill()));
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  try {
    await ready(all, nodes);
  } catch (cause) {
    await cluster.close();
    throw cause;
  }
  return cluster;
};

const makeNode = (program: string, config: string, name: string, url: string): NatsNode => {
  let child: ChildProcess | undefined;
  let gone: Promise<unknown> = Promise.resolve();
  return {
    name,
    url,
    isRunning: () => child !== undefined && child.exitCode === null && child.signalCode === null,
    start: () => {
      const started = spawn(program, ["-c", config], { stdio: "ignore" });
      child = started;
      gone = new Promise((resolve) => started.once("exit", resolve));
    },
    ready: async () => {
      for (let tries = 0; tries < 200; tries += 1) {
        const nc = await connect({ servers: url, timeout: 500, reconnect: false }).catch(
          () => undefined,
        );
        if (nc !== undefined) return nc.close();
        await sleep(50);
      }
    },
    kill: async () => {
      child?.kill("SIGKILL");
      await gone;
    },
    signal: (signal) => void child?.kill(signal),
    pause: (millis) => {
      const paused = child;
      paused?.kill("SIGSTOP");
      setTimeout(() => paused?.kill("SIGCONT"), millis);
    },
  };
};

/** Until a stream with all replicas can be made. */
const ready = async (nodes: ReadonlyArray<NatsNode>, replicas: number): Promise<void> => {
  const deadline = performance.now() + 60_000;
  while (true) {
    try {
      const nc = await connect({ servers: nodes.map(({ url }) => url), timeout: 1000 });
      try {
        const jsm = await jetstreamManager(nc, { timeout: 3000 });
        const config = { name: "probe", subjects: ["probe"], num_replicas: replicas };
        await jsm.streams.add(config);
        await jsm.streams.delete("probe");
        return;
      } finally {
        await nc.close();
      }
    } catch (cause) {
      if (performance.now() > deadline) throw cause;
      await sleep(200);
    }
  }
};
