// Builds `gamedata` as one file that needs nothing else on a machine, Node included: a single
// executable application (SEA) for the platform that builds it.
//
//   node scripts/executable.mjs [--out FILE]   writes FILE (default: dist/gamedata) and
//                                              FILE.licences.txt and FILE.cdx.json (a bill of
//                                              materials), of all that is in it
//   node scripts/executable.mjs --check        builds in a temporary folder and tries it there
//
// `node --build-sea` needs Node 26. Another version fetches that from the npm registry.
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs, promisify } from "node:util";
import { build } from "esbuild";
import { options, root } from "./bundle.mjs";
import { billOf, licencesOf } from "../../../scripts/bill.mjs";

const BUILDER = "26.10.0";
const isWindows = process.platform === "win32";
const { values } = parseArgs({
  options: { out: { type: "string" }, check: { type: "boolean", default: false } },
});

const work = mkdtempSync(join(tmpdir(), "gamedata-executable-"));
const buildInto = async (output) => {
  const main = join(work, "main.mjs");
  const built = { ...options, entryPoints: [join(root, "src/main.ts")], outfile: main };
  const { metafile } = await build({ ...built, metafile: true });
  const config = join(work, "sea.json");
  const sea = { main, mainFormat: "module", output, disableExperimentalSEAWarning: true };
  writeFileSync(config, JSON.stringify(sea));
  const isBuilder = Number.parseInt(process.versions.node, 10) >= 26;
  const command = isBuilder
    ? [process.execPath]
    : ["npx", "--yes", "--loglevel=error", `--package=node@${BUILDER}`, "--", "node"];
  mkdirSync(dirname(output), { recursive: true });
  writeFileSync(`${output}.licences.txt`, licencesOf(metafile));
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const node = isBuilder ? process.versions.node : BUILDER;
  writeFileSync(`${output}.cdx.json`, billOf(metafile, manifest, { node }));
  execFileSync(command[0], [...command.slice(1), `--build-sea=${config}`], {
    cwd: work,
    stdio: ["ignore", "ignore", "inherit"],
    shell: isWindows,
  });
  // macOS runs signed programs only; this signature names nobody.
  if (process.platform === "darwin") execFileSync("codesign", ["--sign", "-", output]);
};

const expect = (what, isSo) => {
  if (!isSo) throw new Error(`the executable fails: ${what}`);
  console.log(`ok    ${what}`);
};

/** Runs commands of the executable in an empty home folder, against its own sandbox. */
const check = async (file) => {
  const { components } = JSON.parse(readFileSync(`${file}.cdx.json`, "utf8"));
  const names = new Set(components.map(({ name }) => name));
  const held = ["@game-data/stream-follower", "effect", "jose", "node", "undici"];
  expect(
    "its bill of materials",
    held.every((name) => names.has(name)),
  );
  const home = join(work, "home");
  mkdirSync(home);
  const env = { HOME: home };
  const gamedata = async (...args) =>
    (await promisify(execFile)(file, args, { cwd: work, env, timeout: 120_000 })).stdout;
  expect("--version", /^gamedata v\d/.test(await gamedata("--version")));
  const link = JSON.parse(await gamedata("tree", "decode", "AAAABgMCAQABAAA=", "--json"));
  expect("tree decode", link.class === 3);

  const sandbox = spawn(file, ["sandbox", "run", "--json"], { cwd: work, env });
  sandbox.stderr.resume();
  try {
    const [line] = await once(createInterface({ input: sandbox.stdout }), "line");
    const { authUrl, baseUrl, clients } = JSON.parse(line);
    const { clientId, clientSecret } = clients.find(({ kind }) => kind === "confidential");
    env.GAME_DATA_AUTH_URL = authUrl;
    env.GAME_DATA_BASE_URL = baseUrl;
    env.GAME_DATA_CLIENT_ID = clientId;
    env.GAME_DATA_CLIENT_SECRET = clientSecret;
    expect("sandbox run, leagues", JSON.parse(await gamedata("leagues", "--json")).length > 0);
    expect("--jq", (await gamedata("leagues", "--jq", "length")).trim() !== "");
    const store = `sqlite:${join(work, "pages.db")}`;
    const follow = ["stream", "follow", "--store", store, "--until-caught-up", "--json"];
    const followed = await gamedata(...follow);
    expect("stream follow", JSON.parse(followed).ended === "caughtUp");
    const status = JSON.parse(await gamedata("stream", "status", "--store", store, "--json"));
    const parquet = ["--format", "parquet", "--out", join(work, "items.parquet")];
    const refused = await gamedata("stream", "export", "items", "--store", store, ...parquet).then(
      () => "",
      ({ stderr }) => stderr,
    );
    expect("stream export without DuckDB", refused.includes("--format csv, or install"));
    expect("stream status", JSON.stringify(status).includes('"pages":'));
  } finally {
    sandbox.kill("SIGTERM");
    await once(sandbox, "close");
  }
};

try {
  const name = isWindows ? "gamedata.exe" : "gamedata";
  const output = values.check ? join(work, name) : resolve(values.out ?? join(root, "dist", name));
  await buildInto(output);
  console.log(`${output}: ${(statSync(output).size / 1e6).toFixed(0)} MB`);
  if (values.check) await check(output);
} finally {
  rmSync(work, { recursive: true, force: true });
}
