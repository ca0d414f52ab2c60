// Rehearses `publish.mjs` with stubs of npm and gh, which keep what they were told in files: it is
// killed before each of its steps, and after each, and the runs after that finish the release, no
// step twice. What cannot be finished, or is not what was packed, is refused before the first step.
// It plants mistakes of what packs, and of runs before; who changes `publish.mjs` goes around both.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "game-data-publish-"));
const bin = join(folder, "bin");
const release = join(folder, "release");
const repository = join(folder, "repository");
const log = join(folder, "log");
const state = join(folder, "state.json");
mkdirSync(bin);
mkdirSync(release);

/**
 * One program for both names: it answers questions and does steps. Of a run it does the first step,
 * and then kills who asked: after that one, or before the next. An upload that is killed leaves its
 * name without its bytes, as GitHub does.
 */
const stub = `#!${process.execPath}
const { appendFileSync, existsSync, readFileSync, writeFileSync } = require("node:fs");
const { createHash } = require("node:crypto");
const [name, args] = [require("node:path").basename(process.argv[1]), process.argv.slice(2)];
const { LOG, STATE, KILL, DONE, BROKEN } = process.env;
const state = existsSync(STATE) ? JSON.parse(readFileSync(STATE, "utf8")) : { published: {}, releases: {} };
const none = (text) => { console.error(text); process.exit(1); };
const hash = (algorithm, file, form) => createHash(algorithm).update(readFileSync(file)).digest(form);
const kill = () => { process.kill(process.ppid, "SIGKILL"); process.exit(1); };
const [kind, action, id, file] = args;
const path = require("node:path");
if (BROKEN === name) none("code E500");
else if (kind === "view") action in state.published ? console.log(state.published[action]) : none("npm error code E404");
else if (action === "view") state.releases[id] ? console.log(JSON.stringify(state.releases[id])) : none("release not found");
else {
  const done = existsSync(LOG) ? readFileSync(LOG, "utf8").split("\\n").length - 1 : 0;
  const isKilled = KILL === "before" && done > Number(DONE);
  if (action === "upload") {
    const asset = { name: path.basename(file), state: isKilled ? "starter" : "uploaded", digest: "sha256:" + hash("sha256", file, "hex") };
    const others = state.releases[id].assets.filter((other) => other.name !== asset.name);
    if (others.length < state.releases[id].assets.length && !args.includes("--clobber")) none("already exists");
    state.releases[id].assets = [...others, asset];
    writeFileSync(STATE, JSON.stringify(state));
  }
  if (isKilled) kill();
  appendFileSync(LOG, [name, ...args].join(" ") + "\\n");
  if (name === "npm") state.published[path.basename(action, "-1.0.0.tgz").replace("game-data-", "@game-data/") + "@1.0.0"] = "sha512-" + hash("sha512", action, "base64");
  else if (action === "create") state.releases[id] = { isDraft: true, assets: [] };
  else if (action === "edit") state.releases[id].isDraft = false;
  writeFileSync(STATE, JSON.stringify(state));
  if (KILL === "after") kill();
}
`;
for (const name of ["npm", "gh"]) {
  writeFileSync(join(bin, name), stub);
  chmodSync(join(bin, name), 0o755);
}
/** Packs a manifest, as pnpm does, with a bill and changes beside it. */
const packed = (name, manifest) => {
  const stem = `game-data-${name}-1.0.0`;
  const identity = { name: `@game-data/${name}`, version: "1.0.0" };
  mkdirSync(join(folder, "package"), { recursive: true });
  writeFileSync(
    join(folder, "package", "package.json"),
    JSON.stringify({ ...identity, ...manifest }),
  );
  execFileSync("tar", ["-czf", join(release, `${stem}.tgz`), "-C", folder, "package"]);
  writeFileSync(join(release, `${stem}.cdx.json`), name);
  writeFileSync(join(release, `${stem}.md`), "Changes.\n");
  const sha256 = createHash("sha256")
    .update(readFileSync(join(release, `${stem}.tgz`)))
    .digest("hex");
  return { ...identity, folder: name, sha256 };
};
const git = (...args) =>
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...args], {
    cwd: repository,
    stdio: "pipe",
  });
const packages = ["a", "cli"].map((name) => packed(name));
const list = (listed) =>
  writeFileSync(join(release, "release.json"), JSON.stringify({ packages: listed }));
list(packages);

mkdirSync(repository);
git("init", "--quiet");
git("commit", "--quiet", "--allow-empty", "--message", "before");
for (const { folder: of } of packages) {
  mkdirSync(join(repository, of));
  writeFileSync(join(repository, of, "CHANGELOG.md"), "Changes.\n");
}

const publish = (more = {}) =>
  spawnSync(process.execPath, [join(import.meta.dirname, "publish.mjs"), release], {
    encoding: "utf8",
    cwd: repository,
    env: {
      ...process.env,
      ...more,
      PATH: `${bin}${delimiter}${process.env.PATH}`,
      LOG: log,
      STATE: state,
      DONE: `${steps().length}`,
    },
  });
const steps = () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []);
const fail = (text) => {
  throw new Error(`${text}\n${steps().join("\n")}`);
};

try {
  const isRefused = (reason, more) => {
    const { status, stderr } = publish(more);
    if (status === 0 || !reason.test(stderr)) fail(`expected ${reason}: ${stderr}`);
    if (existsSync(log)) fail(`something was done before ${reason}`);
  };
  isRefused(/no commit has written a\/CHANGELOG\.md/);
  git("tag", "@game-data/a@1.0.0");
  git("add", "--all");
  git("commit", "--quiet", "--message", "versions");
  isRefused(/the tag @game-data\/a@1\.0\.0 is at/);
  git("tag", "--force", "@game-data/a@1.0.0");
  isRefused(/not released without gamedata-linux-x64/);
  for (const file of ["linux-x64", "linux-arm64", "macos-arm64", "windows-x64.exe"])
    for (const end of ["", ".licences.txt", ".cdx.json"])
      writeFileSync(join(release, `gamedata-${file}${end}`), "");
  isRefused(/not released without game-data-follower\.oci\.tar/);
  writeFileSync(join(release, "game-data-follower.oci.tar"), "");
  for (const BROKEN of ["npm", "gh"]) isRefused(/E500/, { BROKEN });
  for (const file of ["game-data-a-1.0.0.cdx.json", "game-data-a-1.0.0.md"]) {
    rmSync(join(release, file));
    isRefused(new RegExp(`not released without ${file}`));
    mkdirSync(join(release, file));
    isRefused(/is no file/);
    rmSync(join(release, file), { recursive: true });
    writeFileSync(join(release, file), "");
  }
  // The list, against what it is to say; and a tarball that is packed anew, against its own name.
  const [a, cli] = packages;
  const put = (changes) => list([{ ...a, ...changes }, cli]);
  for (const changes of [
    { name: "--registry=https://example.com" },
    { name: "-Ra/b" },
    { name: "@game-data/../a" },
    { version: "latest" },
    { folder: "../a b" },
  ]) {
    put(changes);
    isRefused(/is no package of this repository/);
  }
  for (const changes of [{ version: "1.0.1" }, { sha256: "0" }, { name: "@game-data/cli" }]) {
    put(changes);
    isRefused(/is not what was packed/);
  }
  for (const listed of [[], [a, cli, a]]) {
    list(listed);
    isRefused(/no package, or one twice/);
  }
  for (const manifest of [
    { name: "@game-data/cli" },
    { version: "2.0.0" },
    { publishConfig: { registry: "https://example.com" } },
  ]) {
    put(packed("a", manifest));
    isRefused(/game-data-a-1\.0\.0\.tgz holds/);
  }
  Object.assign(a, packed("a"));
  list(packages);
  // The registry and a release, against what is at hand.
  const has = (integrity, found) =>
    writeFileSync(
      state,
      JSON.stringify({
        published: integrity === undefined ? {} : { "@game-data/a@1.0.0": integrity },
        releases: found === undefined ? {} : { "@game-data/a@1.0.0": found },
      }),
    );
  has("sha512-b");
  isRefused(/a@1\.0\.0: the registry has another file/);
  const assetOf = (name) => ({ name, state: "uploaded", digest: `sha256:${a.sha256}` });
  const out = { isDraft: false, assets: [assetOf("game-data-a-1.0.0.tgz")] };
  has("sha512-b", out);
  isRefused(/the registry has sha512-b, not what was released/);
  has(undefined, out);
  isRefused(/the registry has nothing, not what was released/);
  has(undefined, { isDraft: true, assets: [assetOf("evil.exe")] });
  isRefused(/nothing here attached evil\.exe/);
  rmSync(state);
  const whole = (KILL) => {
    rmSync(state, { force: true });
    rmSync(log, { force: true });
    let runs = 1;
    while (publish({ KILL }).status !== 0) if ((runs += 1) > 100) fail("the release has no end");
    const all = steps();
    if (new Set(all).size !== all.length) fail("a step was done twice");
    if (runs < all.length) fail(`only ${runs} of ${all.length} steps were the last of a run`);
    const first = all.findIndex((step) => step.startsWith("gh"));
    if (all.slice(first).some((step) => step.startsWith("npm")))
      fail("a release before all is published");
    const { published, releases } = JSON.parse(readFileSync(state, "utf8"));
    const isWhole = Object.values(releases).every(
      ({ assets, isDraft }) => !isDraft && assets.every(({ state: of }) => of === "uploaded"),
    );
    if (Object.keys(published).length !== 2 || Object.keys(releases).length !== 2 || !isWhole)
      fail("it is not whole");
    return all.length;
  };
  const [count] = ["before", "after"].map(whole);
  // A draft holds what is at hand, not what another run has built.
  const { published, releases } = JSON.parse(readFileSync(state, "utf8"));
  releases["@game-data/a@1.0.0"].isDraft = true;
  releases["@game-data/a@1.0.0"].assets[0].digest = "sha256:0";
  writeFileSync(state, JSON.stringify({ published, releases }));
  publish();
  if (steps().length !== count + 2) fail("a draft keeps the file of another run");
  // What is released stays as it is, also where other files are at hand, or none.
  writeFileSync(join(release, "gamedata-linux-x64"), "other");
  rmSync(join(release, "game-data-follower.oci.tar"));
  list([packed("a", { description: "Of a later commit." }), cli]);
  const { status, stdout } = publish();
  if (status !== 0 || steps().length !== count + 2)
    fail("a release that is whole does something again");
  for (const told of [
    "a@1.0.0 is published already, of an earlier commit\n",
    "cli@1.0.0 is published already\n",
  ])
    if (!stdout.includes(told)) fail(`what is left out is not told: ${stdout}`);
  console.log(`${count} steps, killed before and after each of them: done once each`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
