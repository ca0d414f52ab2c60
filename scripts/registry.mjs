// A registry on loopback for the checks of releases: the workspace's packages come from it, all
// others through it from the registry that npm is configured with.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Not a dependency of the workspace: only the checks of releases want its 320 packages. */
const VERDACCIO = {
  private: true,
  dependencies: { verdaccio: "6.10.4" },
  // One of its plugins asks for a distribution tag that not every registry keeps.
  overrides: { "node-fetch": "2.7.0" },
};
const START_TIMEOUT_MS = 120_000;

const rule = (proxy) => ({ access: "$all", publish: "$all", unpublish: "$all", ...proxy });

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** Starts a registry that keeps its packages in `folder`; `stop` ends it. */
export const startRegistry = async (folder) => {
  mkdirSync(folder, { recursive: true });
  const upstream = execFileSync("npm", ["config", "get", "registry"], {
    encoding: "utf8",
    cwd: folder,
  }).trim();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  // JSON is YAML.
  const config = {
    storage: join(folder, "storage"),
    auth: { htpasswd: { file: join(folder, "htpasswd") } },
    uplinks: { upstream: { url: upstream, timeout: "60s", maxage: "1h", cache: false } },
    packages: { "@game-data/*": rule({}), "**": rule({ proxy: "upstream" }) },
    max_body_size: "100mb",
    web: { enable: false },
    log: { type: "stdout", format: "json", level: "error" },
  };
  writeFileSync(join(folder, "config.yaml"), JSON.stringify(config));
  writeFileSync(join(folder, "package.json"), JSON.stringify(VERDACCIO));
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const child = spawn(
    process.execPath,
    [
      join(folder, "node_modules/verdaccio/bin/verdaccio"),
      "--config",
      join(folder, "config.yaml"),
      "--listen",
      `127.0.0.1:${port}`,
    ],
    { cwd: folder, stdio: ["ignore", "ignore", "inherit"] },
  );
  const stop = () => {
    child.kill("SIGTERM");
  };
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline && child.exitCode === null) {
    const isUp = await fetch(`${url}-/ping`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) {
      // npm wants to see a token, whether or not the registry does.
      const userconfig = join(folder, "npmrc");
      writeFileSync(userconfig, `registry=${url}\n//127.0.0.1:${port}/:_authToken=none\n`, {
        mode: 0o600,
      });
      return { url, upstream, userconfig, stop };
    }
    await sleep(250);
  }
  stop();
  throw new Error("the local registry did not start");
};
