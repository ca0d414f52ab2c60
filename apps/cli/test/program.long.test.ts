/** The program in processes of its own: from its sources, and as the bundle that is published. */
import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { usePrompt, useService } from "./support/gamedata.ts";

const LINK = "AAAABgMCAQABAAA=";
const outdir = mkdtempSync(join(tmpdir(), "gamedata-bundle-"));
const main = join(outdir, "main.js");
const service = useService();
const prompt = usePrompt();
/** Runs the bundle beside the sandbox, which is in this process. */
const bundled = (line: string) => prompt.spawn(line, main).ended;
beforeAll(() => {
  prompt.env = service.env("example-web");
  const build = join(import.meta.dirname, "../scripts/build.mjs");
  execFileSync(process.execPath, [build, "--outdir", outdir]);
});
afterAll(() => rmSync(outdir, { recursive: true }));

it("offline commands of gamedata start without loading the packages that send requests", () => {
  const hook = `import { registerHooks } from "node:module";
    const loaded = new Set();
    const load = (url, context, next) => {
      loaded.add(/packages.([\\w-]+).src/u.exec(url)?.[1]);
      return next(url, context);
    };
    registerHooks({ load });
    process.once("exit", () => console.error([...loaded].filter(Boolean).toSorted().join(" ")));`;
  const program = join(import.meta.dirname, "../src/main.ts");
  const loader = ["--import", `data:text/javascript,${encodeURIComponent(hook)}`];
  const { stderr } = spawnSync(process.execPath, [...loader, program, "tree", "decode", LINK]);
  // The contract's table has the words of flags, and the follower's CSV what is escaped.
  expect(stderr.toString()).toBe("contract stream-follower tree-link\n");
});

it("gamedata runs as a bundle, without installed packages", async () => {
  expect((await bundled(`tree decode ${LINK} --json`)).stdout).toContain('"class":3');
  expect(await bundled("tree decode AAAABgMC")).toMatchObject({ code: 65, stdout: "" });
  expect(JSON.parse((await bundled("leagues list --json")).stdout)[0].id).toBe("Standard");
});

it("gamedata as a bundle follows a stream, and names a missing driver with its npm install", async () => {
  const store = "--store sqlite:pages.db";
  const { stdout } = await bundled(`stream follow ${store} --until-caught-up --json`);
  expect(JSON.parse(stdout)).toMatchObject({ realm: "pc", ended: "caughtUp" });
  const missing = await bundled(`stream export items ${store} --format parquet --out a.parquet`);
  expect(missing.code).toBe(78);
  expect(missing.stderr).toContain("npm install @duckdb/node-api");
});

it("doctor and leagues list report a service that does not respond", async () => {
  const silent = createServer().listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const GAME_DATA_BASE_URL = `http://127.0.0.1:${port}`;
  const env = { GAME_DATA_BASE_URL, GAME_DATA_TOKEN: "token" };
  const reading = prompt.start("leagues list", { env });
  await reading.stderr(/Waiting for the service/u);
  reading.interrupt();
  const { code, stdout } = await prompt.run("doctor", { env });
  silent.close();
  expect(code).toBe(69);
  for (const check of ["data API", "sign-in"])
    expect(stdout).toMatch(new RegExp(`✗ ${check} +No result within 10 seconds`, "u"));
}, 90_000);

it.each(["18.20.8", "22.18.0"])("gamedata exits with 78 and a sentence on Node %s", (version) => {
  // Names would be linked before anything runs: an old Node lacks some.
  expect(readFileSync(main, "utf8")).not.toMatch(/import\s*\{(?! createRequire )|from"\./u);
  const old = `Object.defineProperty(process, "versions", { value: { node: "${version}" } })`;
  const loader = ["--import", `data:text/javascript,${encodeURIComponent(old)}`];
  const { status, stderr } = spawnSync(process.execPath, [...loader, main], { encoding: "utf8" });
  expect([status, stderr]).toEqual([
    78,
    `gamedata needs Node 22.19 or later; this is Node ${version}.\n`,
  ]);
});
