/** The bundle that is published, in processes of its own. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { manPage } from "../scripts/manPage.ts";
import { usePrompt, useService } from "./support/gamedata.ts";

const outdir = mkdtempSync(join(tmpdir(), "gamedata-bundle-"));
const service = useService();
const prompt = usePrompt();
beforeAll(() => {
  const build = join(import.meta.dirname, "../scripts/build.mjs");
  execFileSync(process.execPath, [build, "--outdir", outdir, "--no-docs"]);
});
afterAll(() => rmSync(outdir, { recursive: true }));

const gamedata = (...args: ReadonlyArray<string>) =>
  new Promise<{ status: number | null; stdout: string; stderr: string }>((resolve) => {
    const child = spawn(process.execPath, [join(outdir, "main.js"), ...args], {
      cwd: prompt.home,
      env: { PATH: process.env["PATH"], HOME: prompt.home, ...service.envOf("example-web") },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.once("close", (status) => resolve({ status, stdout, stderr }));
  });

it("starts without anything installed beside it", async () => {
  const { version } = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8"),
  ) as { version: string };
  expect((await gamedata("--version")).stdout).toContain(version);
  expect((await gamedata("tree", "decode", "AAAABgMCAQABAAA=", "--json")).stdout).toContain(
    '"class":3',
  );
  expect(await gamedata("tree", "decode", "AAAABgMC", "--json")).toMatchObject({
    status: 65,
    stdout: "",
  });
});

it.each(["18.20.8", "20.20.2", "22.18.0"])("Node %s ends with one line, and 78", (version) => {
  const main = join(outdir, "main.js");
  // Names would be linked before anything runs: an old Node lacks some.
  expect(readFileSync(main, "utf8")).not.toMatch(/import\s*\{(?! createRequire )|from"\./u);
  const old = `Object.defineProperty(process, "versions", { value: { node: "${version}" } })`;
  const loader = ["--import", `data:text/javascript,${encodeURIComponent(old)}`];
  expect(
    spawnSync(process.execPath, [...loader, main, "leagues"], { encoding: "utf8" }),
  ).toMatchObject({
    status: 78,
    stdout: "",
    stderr: `gamedata needs Node 22.19 or later; this is Node ${version}.\n`,
  });
});

it("talks to the service, and runs jq", async () => {
  expect(await gamedata("leagues", "--jq", ".[0].id")).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^\w+\n$/u),
  });
});

it("follows a stream into a file", async () => {
  const store = `sqlite:${join(prompt.home, "pages.db")}`;
  const done = await gamedata("stream", "follow", "--store", store, "--until-caught-up", "--json");
  expect(done).toMatchObject({ status: 0 });
  expect(JSON.parse(done.stdout)).toMatchObject({ realm: "pc", ended: "caughtUp" });
  // DuckDB is not installed beside the bundle.
  const parquet = ["--format", "parquet", "--out", join(prompt.home, "items.parquet")];
  const missing = await gamedata("stream", "export", "items", "--store", store, ...parquet);
  expect(missing).toMatchObject({
    status: 78,
    stderr: expect.stringContaining("npm install @duckdb/node-api"),
  });
});

it("runs the sandbox", async () => {
  const print = "console.log(process.env.GAME_DATA_CLIENT_ID)";
  expect(await gamedata("sandbox", "exec", "--", process.execPath, "-e", print)).toMatchObject({
    status: 0,
    stdout: "example-web\n",
  });
});

it("has a man page of every command that troff accepts", async () => {
  const page = await manPage("1.0.0");
  for (const command of ["login", "stash export", "auth switch", "config set", "tree decode"])
    expect(page).toContain(`.SS gamedata ${command.replaceAll("-", "\\-")}`);
  expect(page).toMatch(/\.B 77\nnot\\-signed\\-in/u);
  expect(page).not.toMatch(/^\.\s*$/mu);
  // Every line that begins with a control character is a macro.
  const macros = new Set(["TH", "SH", "SS", "TP", "PP", "RS", "RE", "nf", "fi", "B", "I"]);
  for (const [, macro = ""] of page.matchAll(/^\.(\w*)/gmu)) expect(macros).toContain(macro);
});
