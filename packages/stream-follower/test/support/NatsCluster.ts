/**
 * NATS servers of our own on loopback: one, or three that form a JetStream cluster, each of which
 * may be killed, paused and started again.
 */
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { endWithUs } from "./watchdog.ts";

/** One server. */
interface NatsNode {
  readonly name: string;
  readonly url: string;
  /** Ends it as a crash does. */
  readonly kill: () => Promise<void>;
  /** Freezes it, or lets it go on. */
  readonly signal: (signal: "SIGSTOP" | "SIGCONT") => void;
  readonly start: () => void;
  /** Until it accepts clients. */
  readonly ready: () => Promise<void>;
  readonly isRunning: () => boolean;
  /** The end of what it logged. */
  readonly said: () => string;
}

/** Running servers. */
export interface NatsCluster {
  /** All servers, and a prefix of its own for each caller. */
  readonly urlOf: (prefix: string) => string;
  readonly nodes: ReadonlyArray<NatsNode>;
  readonly close: () => Promise<void>;
}

/**
 * Ports below those that the system hands out: a server that starts later, or again, must find its
 * port as it was, and any connection of a busy machine may have been given one of the others.
 */
const freePorts = async (count: number): Promise<ReadonlyArray<number>> => {
  const found = new Map<number, Server>();
  while (found.size < count) {
    const port = randomInt(10_000, 32_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
    });
    if (isFree) found.set(port, server);
  }
  for (const server of found.values()) await new Promise((resolve) => server.close(resolve));
  return [...found.keys()];
};

/**
 * Starts `nodes` servers and waits until they can keep streams. Servers that do not within
 * `patience` are given up, and others are started with twice as much: the first leader of a new
 * group counts the servers that it has heard of by then, and nats-server 2.10 takes none in later.
 */
export const startCluster = async (
  program: string,
  nodes = 1,
  patience = 10_000,
): Promise<NatsCluster> => {
  const folder = mkdtempSync(join(tmpdir(), "nats-"));
  const ports = await freePorts(nodes * 2);
  const routes = ports.slice(nodes).map((port) => `"nats://127.0.0.1:${port}"`);
  const all = Array.from({ length: nodes }, (_, index) => {
    const config = join(folder, `n${index}.conf`);
    // A name of its own: a server of another test that knows one of the ports is turned away.
    const cluster =
      nodes === 1
        ? ""
        : `cluster { name: "${basename(folder)}", listen: "127.0.0.1:${ports[nodes + index]}", routes: [${routes.join(", ")}] }\n`;
    writeFileSync(
      config,
      `server_name: n${index}\nlisten: "127.0.0.1:${ports[index]}"\nmax_payload: 8MB\nlog_file: "${config}.log"\n` +
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
    await ready(all, nodes, patience);
  } catch (cause) {
    await cluster.close();
    if (patience < 80_000) return startCluster(program, nodes, patience * 2);
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
    said: () =>
      (existsSync(`${config}.log`) ? readFileSync(`${config}.log`, "utf8") : "").slice(-300),
    isRunning: () => child !== undefined && child.exitCode === null && child.signalCode === null,
    start: () => {
      const started = endWithUs(spawn(program, ["-c", config], { stdio: "ignore" }));
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
  };
};

/** Until a stream with all replicas can be made. */
const ready = async (
  nodes: ReadonlyArray<NatsNode>,
  replicas: number,
  patience: number,
): Promise<void> => {
  const deadline = performance.now() + patience;
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
      const ended = nodes.find(({ isRunning }) => !isRunning());
      if (ended !== undefined) throw new Error(`${ended.name} ended: ${ended.said()}`, { cause });
      if (performance.now() > deadline) throw cause;
      await sleep(200);
    }
  }
};
