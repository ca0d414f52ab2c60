// Runs a command with real services beside it:
//
//   node scripts/with-services.mjs all|postgres,redis,nats,chromium,python,go,zsh,fish -- command …
//
// PostgreSQL and Redis are started on free loopback ports, each in a temporary folder, and stopped
// afterwards; the others are told as programs. Each is found on PATH (`.ci/install` brings them all to
// Debian) and told by a variable. The exit code is the command's. `compose.yaml` has the same for
// machines with a container engine; in CI and here there is none.
import { spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "./published.mjs";

const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 10_000;
const NATS_FOLDER = join(import.meta.dirname, "../node_modules/.cache/nats-server/usr/sbin");

/** PostgreSQL refuses to run as root; Debian's package brings the user `postgres`. */
const unprivileged = () => {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = ["-u", "-g"].map((flag) =>
    Number(spawnSync("id", [flag, "postgres"], { encoding: "utf8" }).stdout),
  );
  if (!uid || !gid) throw new Error("postgres: there is no user `postgres` to run it as");
  return { uid, gid };
};

const makeCluster = (program, folder) => {
  const user = unprivileged();
  if (user.uid) chownSync(folder, user.uid, user.gid);
  const args = ["-D", join(folder, "data"), "-U", "postgres", "-A", "trust", "-N"];
  const options = { ...user, encoding: "utf8", cwd: folder };
  const { status, stderr } = spawnSync(join(dirname(program), "initdb"), args, options);
  if (status !== 0) throw new Error(`initdb: ${stderr}`);
  return user;
};

/** Each service: its variable, the names of its program, folders beside PATH, and how it is started. */
const SERVICES = {
  postgres: {
    variable: "GAME_DATA_POSTGRES_URL",
    names: ["postgres"],
    folders: globSync("/usr/lib/postgresql/*/bin"),
    prepare: makeCluster,
    args: (port, folder) =>
      `--port=${port} --listen_addresses=127.0.0.1 --unix_socket_directories=${folder} -D ${folder}/data`,
    url: (port) => `postgres://postgres@127.0.0.1:${port}/postgres`,
    // SIGTERM waits for clients to leave; SIGINT is the "fast" shutdown.
    stopSignal: "SIGINT",
  },
  redis: {
    variable: "GAME_DATA_REDIS_URL",
    names: ["redis-server"],
    args: (port, folder) =>
      `--bind 127.0.0.1 --port ${port} --dir ${folder} --save  --appendonly no`,
    url: (port) => `redis://127.0.0.1:${port}`,
  },
  // Tests start clusters of it.
  nats: {
    variable: "GAME_DATA_NATS_SERVER",
    names: ["nats-server"],
    folders: [NATS_FOLDER, "/usr/sbin"],
  },
  chromium: {
    variable: "GAME_DATA_CHROMIUM",
    names: ["chromium", "chromium-browser", "google-chrome"],
  },
  python: { variable: "GAME_DATA_PYTHON", names: ["python3"] },
  go: { variable: "GAME_DATA_GO", names: ["go"] },
  zsh: { variable: "GAME_DATA_ZSH", names: ["zsh"] },
  fish: { variable: "GAME_DATA_FISH", names: ["fish"] },
};

const find = ({ folders = [], names }) =>
  [...folders, ...(process.env.PATH ?? "").split(delimiter)]
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => existsSync(path));

const answers = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
      .once("connect", () => resolve(true) || socket.destroy())
      .once("error", () => resolve(false));
  });

const start = async (name) => {
  const { args, prepare, stopSignal = "SIGTERM", url, ...service } = SERVICES[name];
  const program = find(service);
  if (program === undefined)
    throw new Error(`${name} is not installed; on Debian, .ci/install does that`);
  if (args === undefined) return { ...service, value: program, stop: async () => {} };

  const folder = mkdtempSync(join(tmpdir(), `game-data-${name}-`));
  const user = prepare?.(program, folder) ?? {};
  const port = await freePort();
  const child = spawn(program, args(port, folder).split(" "), {
    ...user,
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  child.stderr.on("data", (chunk) => (log = (log + chunk).slice(-4_000)));
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const stop = async () => {
    child.kill(stopSignal);
    const stopped = await Promise.race([exited.then(() => true), sleep(STOP_TIMEOUT_MS, false)]);
    if (!stopped) child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  };
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!(await answers(port))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      await stop();
      throw new Error(`${name} did not start: ${log}`);
    }
    await sleep(50);
  }
  return { ...service, value: url(port), stop };
};

const [, , wanted = "", separator, command, ...rest] = process.argv;
const names = wanted === "all" ? Object.keys(SERVICES) : wanted.split(",");
if (separator !== "--" || command === undefined || names.some((name) => !(name in SERVICES))) {
  console.error(`usage: with-services.mjs all|${Object.keys(SERVICES).join(",")} -- command …`);
  process.exit(64);
}

const running = [];
let status = 1;
try {
  for (const name of names) running.push(await start(name));
  for (const {
    names: [name],
    value,
  } of running)
    console.error(`${name}: ${value}`);
  const env = Object.fromEntries(running.map(({ variable, value }) => [variable, value]));
  const child = spawn(command, rest, { stdio: "inherit", env: { ...process.env, ...env } });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  status = await new Promise((resolve, reject) =>
    child.once("error", reject).once("exit", (code) => resolve(code ?? 1)),
  );
} catch (error) {
  console.error(String(error));
} finally {
  await Promise.all(running.map(({ stop }) => stop()));
}
process.exit(status);
