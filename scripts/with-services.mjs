// Runs a command with real services beside it: node scripts/with-services.mjs [--install]
// all|postgres,redis,nats,chromium,python,go,zsh,fish -- command … Each service is found on PATH
// (or, with --install on Debian as root, installed), started on a free loopback port in a temporary
// folder, told to the command by a variable, and stopped afterwards. NATS, browsers and shells are
// told as programs. The exit code is the command's.
import { spawn, spawnSync } from "node:child_process";
import {
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "./published.mjs";

const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 10_000;

const isRoot = process.getuid?.() === 0;
const capture = (command, ...args) => spawnSync(command, args, { encoding: "utf8" });

/** The first of `names` that is a program on PATH or in one of `folders`. */
const find = (names, folders = []) =>
  [...(process.env.PATH ?? "").split(delimiter), ...folders]
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => existsSync(path));

const debianPostgresFolders = () => {
  const base = "/usr/lib/postgresql";
  return existsSync(base) ? readdirSync(base).map((version) => join(base, version, "bin")) : [];
};

/** PostgreSQL refuses to run as root; Debian's package brings the user `postgres`. */
const unprivileged = () => {
  if (!isRoot) return {};
  const [uid, gid] = ["-u", "-g"].map((flag) => Number(capture("id", flag, "postgres").stdout));
  if (!uid || !gid) throw new Error("postgres: there is no user `postgres` to run it as");
  return { uid, gid };
};

const NATS_FOLDER = join(import.meta.dirname, "../node_modules/.cache/nats-server");
const NATS_MINIMUM = [2, 10, 27];

/** A nats-server that is new enough, on PATH or from `installNatsServer`. */
const natsServer = () =>
  [join(NATS_FOLDER, "usr/sbin/nats-server"), find(["nats-server"], ["/usr/sbin"])].find(
    (program) => {
      if (program === undefined || !existsSync(program)) return false;
      const version = /v(\d+)\.(\d+)\.(\d+)/.exec(capture(program, "--version").stdout) ?? [];
      const parts = version.slice(1).map(Number);
      const index = NATS_MINIMUM.findIndex((least, at) => (parts[at] ?? 0) !== least);
      return index < 0 || parts[index] > NATS_MINIMUM[index];
    },
  );

/**
 * Unpacks the nats-server of Debian trixie, a static binary, into a cache folder. The release is
 * read through lists of its own and never added to the system's.
 */
const installNatsServer = () => {
  mkdirSync(join(NATS_FOLDER, "lists/partial"), { recursive: true });
  mkdirSync(join(NATS_FOLDER, "parts"), { recursive: true });
  writeFileSync(
    join(NATS_FOLDER, "parts/trixie.sources"),
    [
      "Types: deb",
      "URIs: http://deb.debian.org/debian",
      "Suites: trixie",
      "Components: main",
      "Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg",
      "",
    ].join("\n"),
  );
  const options = {
    "Dir::Etc::sourcelist": "/dev/null",
    "Dir::Etc::sourceparts": join(NATS_FOLDER, "parts"),
    "Dir::State::lists": join(NATS_FOLDER, "lists"),
    "Dir::Cache": join(NATS_FOLDER, "cache"),
    "APT::Sandbox::User": "root",
    "Acquire::Languages": "none",
  };
  const settings = Object.entries(options).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
  const apt = (...args) => {
    const result = spawnSync("apt-get", ["-qq", ...settings, ...args], {
      cwd: NATS_FOLDER,
      stdio: ["ignore", "ignore", "inherit"],
    });
    if (result.status !== 0) throw new Error(`apt-get ${args[0]} failed with ${result.status}`);
  };
  apt("update");
  apt("download", "nats-server");
  const [archive] = globSync("*.deb", { cwd: NATS_FOLDER });
  const unpacked = capture("dpkg", "-x", join(NATS_FOLDER, archive), NATS_FOLDER);
  if (unpacked.status !== 0) throw new Error(`dpkg -x: ${unpacked.stderr}`);
  rmSync(join(NATS_FOLDER, "lists"), { recursive: true, force: true });
};

const SERVICES = {
  postgres: {
    variable: "GAME_DATA_POSTGRES_URL",
    debian: "postgresql",
    program: () => find(["postgres"], debianPostgresFolders()),
    prepare(program, folder) {
      const user = unprivileged();
      if (user.uid) chownSync(folder, user.uid, user.gid);
      const initdb = join(program, "..", "initdb");
      const { status, stderr } = spawnSync(
        initdb,
        ["-D", join(folder, "data"), "-U", "postgres", "-A", "trust", "-N", "--no-instructions"],
        { ...user, encoding: "utf8", cwd: folder },
      );
      if (status !== 0) throw new Error(`initdb: ${stderr}`);
      return user;
    },
    args: (port, folder) => [
      `--port=${port}`,
      `--listen_addresses=127.0.0.1`,
      `--unix_socket_directories=${folder}`,
      "-D",
      join(folder, "data"),
    ],
    url: (port) => `postgres://postgres@127.0.0.1:${port}/postgres`,
    // SIGTERM waits for clients to leave; SIGINT is the "fast" shutdown.
    stopSignal: "SIGINT",
  },
  redis: {
    variable: "GAME_DATA_REDIS_URL",
    debian: "redis-server",
    program: () => find(["redis-server"]),
    args: (port, folder) =>
      [
        "--bind",
        "127.0.0.1",
        "--port",
        port,
        "--dir",
        folder,
        "--save",
        "",
        "--appendonly",
        "no",
      ].map(String),
    url: (port) => `redis://127.0.0.1:${port}`,
  },
  // A program, not a running server: tests start clusters of it. Servers before 2.10.27 lose pages.
  nats: {
    variable: "GAME_DATA_NATS_SERVER",
    debian: "nats-server (2.10.27 or newer, for example of trixie)",
    program: () => natsServer(),
    install: () => installNatsServer(),
  },
  chromium: {
    variable: "GAME_DATA_CHROMIUM",
    debian: "chromium",
    program: () => find(["chromium", "chromium-browser", "google-chrome"]),
  },
  python: {
    variable: "GAME_DATA_PYTHON",
    debian: "python3",
    program: () => find(["python3"]),
  },
  go: {
    variable: "GAME_DATA_GO",
    debian: "golang-go",
    program: () => find(["go"]),
  },
  zsh: { variable: "GAME_DATA_ZSH", debian: "zsh", program: () => find(["zsh"]) },
  fish: { variable: "GAME_DATA_FISH", debian: "fish", program: () => find(["fish"]) },
};

const answers = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
      .once("connect", () => resolve(true) || socket.destroy())
      .once("error", () => resolve(false));
  });

const install = (names) => {
  const missing = names.filter((name) => SERVICES[name].program() === undefined);
  const own = missing.filter((name) => SERVICES[name].install !== undefined);
  const packages = missing
    .filter((name) => !own.includes(name))
    .map((name) => SERVICES[name].debian);
  if (missing.length === 0) return;
  if (!isRoot || !existsSync("/usr/bin/apt-get"))
    throw new Error(`--install needs root on Debian; missing: ${missing.join(" ")}`);
  for (const name of own) SERVICES[name].install();
  if (packages.length === 0) return;
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  for (const args of [["update"], ["install", "-y", "--no-install-recommends", ...packages]]) {
    const { status } = spawnSync("apt-get", ["-qq", ...args], {
      env,
      stdio: ["ignore", "ignore", "inherit"],
    });
    if (status !== 0) throw new Error(`apt-get ${args.join(" ")} failed with ${status}`);
  }
};

const start = async (name) => {
  const service = SERVICES[name];
  const program = service.program();
  if (program === undefined)
    throw new Error(`${name} is not installed (Debian: apt-get install ${service.debian})`);
  if (service.args === undefined)
    return { name, variable: service.variable, value: program, stop: async () => {} };

  const folder = mkdtempSync(join(tmpdir(), `game-data-${name}-`));
  const user = service.prepare?.(program, folder) ?? {};
  const port = await freePort();
  const child = spawn(program, service.args(port, folder), {
    ...user,
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  child.stderr.on("data", (chunk) => (log = (log + chunk).slice(-4_000)));
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const stop = async () => {
    child.kill(service.stopSignal ?? "SIGTERM");
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
  return { name, variable: service.variable, value: service.url(port), stop };
};

const usage = () => {
  console.error(
    `usage: with-services.mjs [--install] all|${Object.keys(SERVICES).join(",")} -- command …`,
  );
  process.exit(64);
};

const separator = process.argv.indexOf("--");
const words = process.argv.slice(2, separator < 0 ? undefined : separator);
const command = separator < 0 ? [] : process.argv.slice(separator + 1);
const wanted = words.filter((word) => word !== "--install").join(",");
const names = wanted === "all" ? Object.keys(SERVICES) : wanted.split(",");
if (command.length === 0 || names.some((name) => !(name in SERVICES))) usage();

const running = [];
let status = 1;
try {
  if (words.includes("--install")) install(names);
  for (const name of names) running.push(await start(name));
  for (const { name, value } of running) console.error(`${name}: ${value}`);
  const env = Object.fromEntries(running.map(({ variable, value }) => [variable, value]));
  const child = spawn(command[0], command.slice(1), {
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
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
