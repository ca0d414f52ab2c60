/**
 * A PostgreSQL of our own, in a temporary folder on a free loopback port, that may be restarted
 * under its clients.
 */
import { freePort } from "@game-data/test-support";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { endWithUs } from "../test/support/watchdog.ts";

/** A running server. */
export interface OwnPostgres {
  readonly url: string;
  /** Stops it the hard way (as a crash does) or the fast way. */
  readonly stop: (how: "crash" | "fast") => Promise<void>;
  /** Starts it again. */
  readonly start: () => Promise<void>;
  /** Freezes it with its children, or lets them go on. */
  readonly signal: (signal: "SIGSTOP" | "SIGCONT") => void;
  readonly close: () => Promise<void>;
}

/** The address of a schema of a database. */
export const inSchema = (url: string, schema: string): string => {
  const address = new URL(url);
  address.searchParams.set("schema", schema);
  return address.href;
};

const BASE = "/usr/lib/postgresql";

const folderOfPrograms = (): string | undefined => {
  const versions = existsSync(BASE) ? readdirSync(BASE) : [];
  const debian = versions.map((version) => join(BASE, version, "bin"));
  return [...debian, ...(process.env["PATH"] ?? "").split(delimiter)].find((path) =>
    existsSync(join(path, "initdb")),
  );
};

/** PostgreSQL refuses to run as root; its package brings the user `postgres`. */
const unprivileged = (): { uid?: number; gid?: number } => {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = ["-u", "-g"].map((flag) =>
    Number(spawnSync("id", [flag, "postgres"], { encoding: "utf8" }).stdout),
  );
  if (!uid || !gid) throw new Error("there is no user `postgres` to run PostgreSQL as");
  return { uid, gid };
};

const childrenOf = (pid: number): ReadonlyArray<number> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(/\s+/u).map(Number);

const stop = async (child: ChildProcess, signal: NodeJS.Signals) => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill(signal);
  await gone;
};

/** Starts a server; `undefined` where PostgreSQL is not installed. */
export const startPostgres = async (): Promise<OwnPostgres | undefined> => {
  const programs = folderOfPrograms();
  if (programs === undefined) return undefined;
  const user = unprivileged();
  const folder = mkdtempSync(join(tmpdir(), "chaos-pg-"));
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const made = spawnSync(
    join(programs, "initdb"),
    ["-D", data, "-U", "postgres", "-A", "trust", "-N", "--no-instructions"],
    { ...user, encoding: "utf8", cwd: folder },
  );
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`);
  const port = await freePort();

  const start = async (): Promise<ChildProcess> => {
    const child = spawn(
      join(programs, "postgres"),
      [
        `--port=${port}`,
        "--listen_addresses=127.0.0.1",
        `--unix_socket_directories=${folder}`,
        "-D",
        data,
      ],
      { ...user, cwd: folder, stdio: "ignore" },
    );
    endWithUs(child);
    // A server that listens may still be starting, and refuses clients.
    const check = [`--host=127.0.0.1`, `--port=${port}`, "--quiet"];
    for (let tries = 0; tries < 300; tries += 1) {
      if (spawnSync(join(programs, "pg_isready"), check).status === 0) return child;
      if (child.exitCode !== null) throw new Error("postgres ended while starting");
      await sleep(50);
    }
    throw new Error("postgres does not answer");
  };
  let running = await start();
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    // SIGQUIT is PostgreSQL's immediate shutdown: no checkpoint, recovery from the log at the next
    // start.
    stop: (how) => stop(running, how === "crash" ? "SIGQUIT" : "SIGINT"),
    start: async () => {
      running = await start();
    },
    signal: (signal) => {
      for (const pid of [running.pid!, ...childrenOf(running.pid!)]) process.kill(pid, signal);
    },
    close: async () => {
      await stop(running, "SIGINT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
