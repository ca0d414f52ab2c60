/** The Dockerfile's variables, program and health check, run without a container. */
import { spawn, spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { freePort } from "@game-data/test-support";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundleProgram } from "../../scripts/bundle.ts";

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const dockerfile = readFileSync(file("../../Dockerfile"), "utf8");
const variables = Object.fromEntries(
  [...dockerfile.matchAll(/^ENV (\w+)=(.*)$/gmu)].map(([, name, value]) => [name, value]),
) as Record<string, string>;
const arrayOf = (instruction: RegExp) =>
  JSON.parse(instruction.exec(dockerfile)![1]!) as [string, ...Array<string>];

const guide = readFileSync(file("../../../../docs/guides/testing-with-the-sandbox.md"), "utf8");
const controlKey = / GAME_DATA_CONTROL_KEY: (\S+)/u.exec(guide)![1];

let env: NodeJS.ProcessEnv;
let line: { readonly authUrl: string; readonly controlUrl: string; readonly controlKey: string };
let stop: () => Promise<void>;

beforeAll(async () => {
  const folder = file("../../node_modules/.cache/container-program");
  await bundleProgram(folder);
  const port = String(await freePort());
  env = {
    PATH: process.env["PATH"],
    ...variables,
    GAME_DATA_CONTROL_KEY: controlKey,
    GAME_DATA_SANDBOX_PORT: port,
    GAME_DATA_SANDBOX_PUBLIC_URL: `http://localhost:${port}`,
  };
  const child = spawn(process.execPath, [`${folder}/main.js`], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  line = JSON.parse(
    await new Promise<string>((resolve) =>
      createInterface({ input: child.stdout }).once("line", resolve),
    ),
  ) as typeof line;
  stop = () =>
    new Promise((resolve) => {
      child.once("exit", () => resolve());
      child.kill("SIGTERM");
    });
});
afterAll(() => stop());

const isHealthy = (environment: NodeJS.ProcessEnv): boolean => {
  const [, ...args] = arrayOf(/^HEALTHCHECK .*?CMD (.*)$/mu);
  return spawnSync(process.execPath, args, { env: environment }).status === 0;
};

it("the container answers on one port under its public address, and requires its control key", async () => {
  expect(line.controlKey).toBe(controlKey);
  expect(line.authUrl).toBe(env["GAME_DATA_SANDBOX_PUBLIC_URL"]);
  expect((await fetch(`${line.controlUrl}/clock`)).status).toBe(401);
  const headers = { authorization: `Bearer ${line.controlKey}` };
  expect((await fetch(`${line.controlUrl}/clock`, { headers })).status).toBe(200);
  expect(await (await fetch(`${line.authUrl}/`)).text()).toContain("<title>Game Data sandbox");
});

it("the image's health check passes while the sandbox answers, and fails if nothing does", async () => {
  expect(isHealthy(env)).toBe(true);
  expect(isHealthy({ ...env, GAME_DATA_SANDBOX_PORT: String(await freePort()) })).toBe(false);
});

it("the image runs as an unprivileged user, from a bundle without installed packages", async () => {
  expect(dockerfile).toContain("\nUSER node\n");
  expect(arrayOf(/^ENTRYPOINT (.*)$/mu)).toEqual(["node", "/sandbox/main.js"]);
  const folder = file("../../node_modules/.cache/container-image");
  await bundleProgram(folder, true);
  // Minified, an import has no space before its quote; a program that is printed has one.
  const texts = globSync("*.js", { cwd: folder }).map((name) =>
    readFileSync(`${folder}/${name}`, "utf8"),
  );
  const imported = texts.flatMap((text) =>
    [...text.matchAll(/(?<!")\b(?:from|import\(?)"([^"]+)"/gu)].map(([, specifier]) => specifier!),
  );
  expect(imported.length).toBeGreaterThan(texts.length);
  expect(imported.filter((name) => !/^(?:node:|\.)/u.test(name) && !isBuiltin(name))).toEqual([]);
});

it.each(["program", "image"])("the container's %s has licences of Effect and Preact", (name) => {
  const text = readFileSync(
    file(`../../node_modules/.cache/container-${name}/LICENCES.txt`),
    "utf8",
  );
  const named = [...text.matchAll(/^(\S+)@[\d.]+\n=+\n\nMIT\n/gmu)].map(([, each]) => each);
  expect(named).toEqual(["effect", "preact"]);
});
