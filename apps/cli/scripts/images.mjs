// Builds the images of the sandbox and of the follower, and starts them:
//
//   node apps/cli/scripts/images.mjs [--out FOLDER]
//
// A registry is not needed: the base image is a root file system of Debian with this Node in it.
// The sandbox must answer its health check and run a program beside it (`exec`); the follower must
// follow it into a store on a volume and leave it whole when it is stopped by SIGTERM. Then the follower starts as deploy/compose.yaml confines it: no
// root, no rights, a file system to read, the secret in a file, a NATS that knows its user. Of that
// file the broker runs outside of a container, and one instead of three; consumers do not run,
// because theirs is the image of somebody's own program. deploy/kubernetes.yaml is read by tests
// alone. Needs root, podman, buildah, runc and mmdebstrap (`.ci/install`), and
// GAME_DATA_NATS_SERVER. Bounded: everything ends with this program. What has passed is saved to
// FOLDER, as archives that `podman load` and `docker load` take.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve as pathOf } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { parse } from "yaml";
import { freePort } from "../../../support/src/Network.ts";

const BASE = "docker.io/library/node:24-slim";
const START_TIMEOUT_MS = 60_000;
/** The exit code of `gamedata` when a signal ended it. */
const STOPPED = 130;

const IMAGES = ["game-data-sandbox", "game-data-follower"];

const root = join(import.meta.dirname, "../../..");
const { values } = parseArgs({
  options: { out: { type: "string" } },
});
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

/** The bill of materials that an image holds beside its program. */
const billIn = (image, folderInImage) => {
  const cat = ["--entrypoint", "cat", image, `${folderInImage}/bom.cdx.json`];
  const command = [...storage, ...RUN, ...STARTED, ...cat];
  const { components } = JSON.parse(execFileSync("podman", command, { env, encoding: "utf8" }));
  if (components.length === 0) throw new Error(`${image} says nothing of what is in it.`);
  return components.length;
};

const untilPages = (port) =>
  until("follower", async () => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return /pages\S*(?:\{[^}]*\})? [1-9]/.test(text) ? text : undefined;
  });

const deploy = join(root, "packages/stream-follower/deploy");
const FOLLOWER_PASSWORD = "follower1";

/** A broker with the users of deploy/nats.conf, for the addresses that the files name. */
const startNats = async () => {
  const port = await freePort();
  const config = readFileSync(join(deploy, "nats.conf"), "utf8");
  // One server has no cluster, and its passwords no routes.
  writeFileSync(join(folder, "nats.conf"), config.replace(/^cluster \{.*?^\}/msu, ""));
  writeFileSync(
    join(folder, "passwords.conf"),
    `NATS_FOLLOWER_PASSWORD: "${FOLLOWER_PASSWORD}"\nNATS_CONSUMER_PASSWORD: "consumer1"\n`,
  );
  const paths = ["--sd", join(folder, "nats"), "-c", join(folder, "nats.conf")];
  const child = spawn(process.env.GAME_DATA_NATS_SERVER, ["-p", String(port), "--js", ...paths], {
    env: { HOSTNAME: "one" },
    stdio: "ignore",
  });
  return { port, stop: () => child.kill() };
};

/** An argument of the deployed follower, where addresses and ports are those of this machine. */
const argumentHere = (nats, ops) => (argument) =>
  argument
    .replace(
      /^--store=.*/,
      `--store=nats://follower@127.0.0.1:${nats}/game_data?replicas=1&passwordFile=/run/secrets/nats-follower`,
    )
    // What a broker may keep has to fit its disk.
    .replace(/^--keep-bytes=.*/, "--keep-bytes=100000000")
    .replace(/^--ops-port=.*/, `--ops-port=${ops}`);

/** A secret of a follower as the deployment gives it: a file that its user alone reads. */
const secretFile = (name, { authUrl, baseUrl, clients }) => {
  const { clientId, clientSecret } = clients.find((client) => client.clientSecret !== undefined);
  const secrets = {
    "gamedata.json": JSON.stringify({ authUrl, baseUrl, clientId, clientSecret }),
    "nats-follower": `${FOLLOWER_PASSWORD}\n`,
  };
  const file = join(folder, name);
  rmSync(file, { force: true });
  writeFileSync(file, secrets[name], { mode: 0o400 });
  chownSync(file, 1000, 1000);
  return file;
};

/** Starts the follower of the compose file, as it is confined there. */
const composeFollower = async (told, nats) => {
  const { services } = parse(readFileSync(join(deploy, "compose.yaml"), "utf8"), { merge: true });
  const { cap_drop, command, environment, secrets, security_opt, tmpfs, user, ...service } =
    services["follower-a"];
  if (service.read_only !== true) throw new Error("The file system of a follower can be written.");
  const options = [
    "--user",
    user,
    "--read-only",
    "--read-only-tmpfs=false",
    ...cap_drop.map((name) => `--cap-drop=${name}`),
    ...security_opt.map((name) => `--security-opt=${name.replace(":true", "")}`),
    ...tmpfs.map((path) => `--tmpfs=${path}`),
    ...Object.entries(environment).map(([name, value]) => `--env=${name}=${value}`),
    ...secrets.map((name) => `--volume=${secretFile(name, told)}:/run/secrets/${name}:ro`),
  ];
  const ops = await freePort();
  const follow = command.map(argumentHere(nats, ops));
  const follower = start("composed", options, "game-data-follower", ...follow);
  await untilPages(ops);
  const code = await follower.stop();
  if (code !== STOPPED) throw new Error(`The composed follower ended with ${code}.`);
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
  await untilPages(port);
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

const save = (image) => {
  mkdirSync(values.out, { recursive: true });
  const archive = join(pathOf(values.out), `${image}.oci.tar`);
  buildah("push", image, `oci-archive:${archive}:${image}`);
};

try {
  run("node", "packages/sandbox/scripts/bundle.ts", "packages/sandbox/image", "--whole");
  run("node", "apps/cli/scripts/build.mjs", "--no-docs", "--outdir", "apps/cli/image");
  writeFileSync(join(root, "apps/cli/image/package.json"), '{ "type": "module" }\n');
  buildBase();
  build("game-data-sandbox", "packages/sandbox");
  build("game-data-follower", "apps/cli");
  const bills = [
    billIn("game-data-sandbox", "/sandbox"),
    billIn("game-data-follower", "/gamedata"),
  ];
  console.log(`Their bills of materials have ${bills.join(" and ")} packages.`);
  const sandbox = await startSandbox(await freePort());
  await execInImage();
  const pages = await followIntoVolume(sandbox.told);
  const nats = await startNats();
  try {
    await composeFollower(sandbox.told, nats.port);
    console.log("The follower of deploy/compose.yaml follows, confined as it says there.");
  } finally {
    nats.stop();
  }
  const code = await sandbox.stop();
  if (code !== 0) throw new Error(`The sandbox ended with ${code} after SIGTERM.`);
  console.log(`Both images were built and started; the follower left ${pages} pages, whole.`);
  if (values.out !== undefined) IMAGES.forEach(save);
} finally {
  spawnSync("podman", [...storage, ...RUN, "rm", "--all", "--force"], { env });
  spawnSync("buildah", [...storage, "umount", "--all"], { env });
  rmSync(folder, { recursive: true, force: true });
}
