// Runs a command with real services beside it:
//
//   node scripts/with-services.mjs all|postgres,redis,nats,chromium -- command …
//
// PostgreSQL and Redis are started, and stopped afterwards; the others are programs. A variable has
// the URL or path of each. They are found on PATH; on Debian `.ci/install` installs them, and
// `compose.yaml` has them for a container engine.
import { spawn } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { delimiter, join } from "node:path";

const NATS_FOLDER = join(import.meta.dirname, "../node_modules/.cache/nats-server/usr/sbin");

/** Each service: its variable, the names of its program, folders beside PATH, and how it is started. */
const SERVICES = {
  postgres: {
    variable: "GAME_DATA_POSTGRES_URL",
    names: ["postgres"],
    folders: globSync("/usr/lib/postgresql/*/bin"),
    start: async () => {
      const { startPostgres } = await import("../packages/stream-follower/chaos/Postgres.ts");
      const { close, url } = await startPostgres();
      return { value: url, stop: close };
    },
  },
  redis: {
    variable: "GAME_DATA_REDIS_URL",
    names: ["redis-server"],
    start: async () => {
      const { ownRedis } = await import("../packages/rate-limit/test/model/ownRedis.ts");
      const { stop, url } = await ownRedis();
      return { value: url, stop };
    },
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
};

const find = ({ folders = [], names }) =>
  [...folders, ...(process.env.PATH ?? "").split(delimiter)]
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => existsSync(path));

const start = async (name) => {
  const service = SERVICES[name];
  const program = find(service);
  if (program === undefined)
    throw new Error(`${name} is not installed; on Debian, .ci/install does that`);
  return { name, ...service, value: program, ...(await service.start?.()) };
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
  for (const { name, value } of running) console.error(`${name}: ${value}`);
  const env = Object.fromEntries(running.map(({ variable, value }) => [variable, value]));
  const child = spawn(command, rest, { stdio: "inherit", env: { ...process.env, ...env } });
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
  status = await new Promise((resolve, reject) =>
    child.once("error", reject).once("exit", (code) => resolve(code ?? 1)),
  );
} catch (error) {
  console.error(String(error));
} finally {
  await Promise.all(running.map(({ stop }) => stop?.()));
}
process.exit(status);
