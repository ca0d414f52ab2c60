// Builds the images of the sandbox and of the follower, and starts them:
//
//   node scripts/images.mjs [--install]
//
// A registry is not needed: the base image is a root file system of Debian with this Node in it.
// The sandbox must answer its health check, run a program beside it (`exec`), and start by the
// helper for Testcontainers; the follower must follow it into a store on a volume and leave it whole
// when it is stopped by SIGTERM. Needs root, podman, buildah, runc and
// mmdebstrap (--install takes them from Debian). Bounded: everything ends with this program.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const PROGRAMS = ["podman", "buildah", "runc", "mmdebstrap"];
const BASE = "docker.io/library/node:24-slim";
const START_TIMEOUT_MS = 60_000;
/** The exit code of `gamedata` when a signal ended it. */
const STOPPED = 130;

const root = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "images-"));
const conf = join(folder, "containers.conf");
writeFileSync(conf, "[containers]\ndefault_ulimits=[]\n");
const storage = ["--root", join(folder, "storage"), "--runroot", join(folder, "run")];
const env = { ...process.env, CONTAINERS_CONF: conf, STORAGE_DRIVER: "vfs" };
const run = (command, ...args) =>
  execFileSync(command, args, { cwd: root, env, stdio: ["ignore", "ignore", "inherit"] });
const buildah = (...args) => run("buildah", ...storage, ...args);
const RUN = "--runtime runc --cgroup-manager cgroupfs".split(" ");
const STARTED = "run --rm --network host --no-healthcheck".split(" ");

const isThere = (program) => spawnSync("which", [program]).status === 0;
const missing = PROGRAMS.filter((program) => !isThere(program));
if (missing.length > 0 && process.argv.includes("--install")) {
  run("apt-get", "-qq", "update");
  run("apt-get", "-qq", "install", "-y", "--no-install-recommends", ...missing);
} else if (missing.length > 0) throw new Error(`Not installed: ${missing.join(", ")}.`);

/** The base image: Debian, its certificates, the Node that runs this, and the user `node`. */
const buildBase = () => {
  const context = join(folder, "base");
  mkdirSync(join(context, "bin"), { recursive: true });
  const rootfs = join(context, "rootfs.tar");
  const packages = "--include=libstdc++6,ca-certificates";
  run("mmdebstrap", "--quiet", "--variant=minbase", packages, "bookworm", rootfs);
  cpSync(process.execPath, join(context, "bin/node"));
  writeFileSync(
    join(context, "Containerfile"),
    "FROM scratch\nADD rootfs.tar /\nCOPY bin/ /usr/local/bin/\n" +
      "RUN useradd --uid 1000 --create-home node\n",
  );
  buildah("bud", "--isolation", "chroot", "--tag", BASE, context);
};

const build = (tag, context) =>
  buildah(
    ..."bud --isolation chroot --pull-never --format docker --tag".split(" "),
    tag,
    join(root, context),
  );

/** Starts a container. `stop` sends SIGTERM to its program and gives the exit code. */
const start = (name, options, image, ...args) => {
  const command = [...storage, ...RUN, ...STARTED, "--name", name, ...options, image, ...args];
  const child = spawn("podman", command, { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const stop = async () => {
    spawnSync("podman", [...storage, ...RUN, "stop", "--time", "30", name], { env });
    return ended;
  };
  return { child, stop };
};

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** Asks until the answer fits, or fails after a minute. */
const until = async (what, ask) => {
  const end = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const answer = await ask().catch((error) => error);
    if (answer !== undefined && !(answer instanceof Error)) return answer;
    if (Date.now() > end) throw new Error(`${what}: not within a minute`, { cause: answer });
    await sleep(500);
  }
};

/** Options of podman for a sandbox on a port of the host. */
const variablesOf = (port) => [
  "-e",
  `GAME_DATA_SANDBOX_PORT=${port}`,
  "-e",
  `GAME_DATA_SANDBOX_PUBLIC_URL=http://127.0.0.1:${port}`,
];

const startSandbox = async (port) => {
  const url = `http://127.0.0.1:${port}`;
  const sandbox = start("sandbox", variablesOf(port), "game-data-sandbox");
  const lines = createInterface({ input: sandbox.child.stdout });
  const [line] = await Promise.race([
    new Promise((resolve) => lines.once("line", (text) => resolve([text]))),
    sleep(START_TIMEOUT_MS).then(() => {
      throw new Error("sandbox: no line within a minute");
    }),
  ]);
  await until("sandbox", async () => ((await fetch(`${url}/control/health`)).ok ? url : undefined));
  return { ...sandbox, told: JSON.parse(line) };
};

/** Follows into a store on a volume, stops by SIGTERM, and reads the store afterwards. */
const followIntoVolume = async ({ authUrl, baseUrl, clients }) => {
  const { clientId, clientSecret } = clients.find((client) => client.clientSecret !== undefined);
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o777 });
  run("chmod", "0777", data);
  const volume = ["--volume", `${data}:/data`, "-e", "GAME_DATA_CLIENT_SECRET"];
  env.GAME_DATA_CLIENT_SECRET = clientSecret;
  const store = ["--store", "sqlite:/data/pages.db"];
  const service = ["--base-url", baseUrl, "--auth-url", authUrl, "--client-id", clientId];
  const follow = ["stream", "follow", "--realm", "pc", ...store, ...service];
  const port = await freePort();
  const follower = start("follower", volume, "game-data-follower", ...follow, "--ops-port", port);
  await until("follower", async () => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return /pages\S*(?:\{[^}]*\})? [1-9]/.test(text) ? text : undefined;
  });
  const code = await follower.stop();
  if (code !== STOPPED) throw new Error(`The follower ended with ${code} after SIGTERM.`);
  const ask = (...args) => {
    const image = ["game-data-follower", "stream", ...args, ...store];
    const command = [...storage, ...RUN, ...STARTED, ...volume, ...image, "--json"];
    return JSON.parse(execFileSync("podman", command, { env, encoding: "utf8" }));
  };
  const { pages } = ask("status");
  const [realm] = [ask("verify", "--deep")].flat();
  if (!(pages > 0)) throw new Error(`The store has ${pages} pages.`);
  if (realm.whole === false) throw new Error(`The store is not whole: ${JSON.stringify(realm)}`);
  return pages;
};

/** `exec` in the image: the program finds the service, and its exit code is the container's. */
const execInImage = async () => {
  const program = `fetch(process.env.GAME_DATA_BASE_URL + "/profile").then(({ status }) => process.exit(status === 401 ? 7 : 1))`;
  const args = ["exec", "--seed", "7", "--", "node", "-e", program];
  const { child } = start("exec", variablesOf(await freePort()), "game-data-sandbox", ...args);
  const code = await new Promise((resolve) => child.once("exit", resolve));
  if (code !== 7) throw new Error(`exec in the image ended with ${code}, not 7.`);
};

/** The part of Testcontainers that the helper uses, by podman: the network is the host's own. */
const byPodman = () => {
  const environment = {};
  const container = {
    withExposedPorts: ({ host }) => {
      environment.GAME_DATA_SANDBOX_PORT = host;
      return container;
    },
    withEnvironment: (more) => {
      Object.assign(environment, more);
      return container;
    },
    start: async () => {
      const variables = Object.entries(environment).flatMap(([key, value]) => [
        "-e",
        `${key}=${value}`,
      ]);
      const { child, stop } = start("testcontainer", variables, "game-data-sandbox");
      return { logs: async () => child.stdout, stop };
    },
  };
  return container;
};

/** The helper for Testcontainers with the built image: a token, a request, the journal, the end. */
const helperWithImage = async () => {
  const { startSandboxContainer } = await import("../packages/sandbox/src/testcontainers.ts");
  const environment = { GAME_DATA_SANDBOX_SEED: "7" };
  const sandbox = await startSandboxContainer(byPodman(), { environment });
  const token = await sandbox.token({ scopes: ["account:profile"] });
  const headers = { authorization: `Bearer ${token}` };
  const { status } = await fetch(`${sandbox.baseUrl}/profile`, { headers });
  if (status !== 200) throw new Error(`The sandbox in a container answered ${status}.`);
  await sandbox.verify({ match: { endpoint: "profile" }, exactly: 1 });
  const unkeyed = await fetch(`${sandbox.controlUrl}/journal`);
  if (unkeyed.status !== 401) throw new Error(`Without the key: ${unkeyed.status}.`);
  await sandbox.close();
};

try {
  run("node", "packages/sandbox/scripts/bundle.ts", "packages/sandbox/image", "--whole");
  run("node", "apps/cli/scripts/build.mjs", "--no-docs", "--outdir", "apps/cli/image");
  writeFileSync(join(root, "apps/cli/image/package.json"), '{ "type": "module" }\n');
  buildBase();
  build("game-data-sandbox", "packages/sandbox");
  build("game-data-follower", "apps/cli");
  const sandbox = await startSandbox(await freePort());
  await execInImage();
  await helperWithImage();
  const pages = await followIntoVolume(sandbox.told);
  const code = await sandbox.stop();
  if (code !== 0) throw new Error(`The sandbox ended with ${code} after SIGTERM.`);
  console.log(`Both images were built and started; the follower left ${pages} pages, whole.`);
} finally {
  spawnSync("podman", [...storage, ...RUN, "rm", "--all", "--force"], { env });
  spawnSync("buildah", [...storage, "umount", "--all"], { env });
  rmSync(folder, { recursive: true, force: true });
}
