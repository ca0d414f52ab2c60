// Rehearses `publish.mjs` with stubs of npm and gh: part of `check-release.mjs`, which packs. It is
// killed before each of its steps, and after each, and the next run finishes the release, no step
// twice. What cannot be finished, or is not what was packed, is refused before the first step. It
// plants mistakes of what packs, and of runs before; who changes `publish.mjs` goes around both.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "game-data-publish-"));
process.once("exit", () => rmSync(folder, { recursive: true }));
const STATE = join(folder, "state.json");
const keep = (state = {}) =>
  writeFileSync(STATE, JSON.stringify({ published: {}, releases: {}, steps: [], ...state }));
const kept = () => JSON.parse(readFileSync(STATE, "utf8"));
const integrityOf = (file) =>
  `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}`;

/**
 * One program for both names: it answers questions and does steps. Of the step that KILL names it
 * kills who asked: after it, or before, when gh has left a draft behind, as it does.
 */
const stub = `#!${process.execPath}
const { readFileSync, writeFileSync } = require("node:fs");
const [name, args] = [require("node:path").basename(process.argv[1]), process.argv.slice(2)];
const { BROKEN, KILL, STATE } = process.env;
const [kind, action, id] = args;
const state = JSON.parse(readFileSync(STATE, "utf8"));
const answer = (found, none) => found ? console.log(found) : (console.error(none), process.exitCode = 1);
if (BROKEN === name) answer(undefined, "code E500");
else if (kind === "view") answer(state.published[action], "npm error code E404");
else if (action === "view") answer(state.releases[id], "release not found");
else if (action === "create" && state.releases[id]) answer(undefined, "there is such a draft already");
else {
  const isCut = KILL === "before " + state.steps.length;
  const isOver = KILL === "after " + state.steps.length;
  if (name === "gh") state.releases[id] = action === "delete" ? undefined : String(isCut);
  else if (!isCut) {
    const hash = require("node:crypto").createHash("sha512").update(readFileSync(action));
    state.published[action.replace(/.*game-data-(.*)-([0-9.]+).tgz/, "@game-data/$1@$2")] = "sha512-" + hash.digest("base64");
  }
  if (!isCut) state.steps.push(args.join(" "));
  writeFileSync(STATE, JSON.stringify(state));
  if (isCut || isOver) process.kill(process.ppid, "SIGKILL");
}
`;
for (const name of ["npm", "gh"]) {
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, name), stub, { mode: 0o755 });
}

/** The environment in which stubs stand for the programs `names`. */
export const stubbed = (names) => ({
  PATH: [...names.map((name) => join(folder, name)), process.env.PATH].join(delimiter),
  STATE,
});

const fail = (text) => {
  throw new Error(`${text}\n${kept().steps.join("\n")}`);
};

/** Two packages of `release`, and what is done to them. */
const stageOf = (repository, release) => {
  const file = (name) => join(release, name);
  const whole = JSON.parse(readFileSync(file("release.json"), "utf8"));
  const list = (...packages) => writeFileSync(file("release.json"), JSON.stringify(packages));
  const [link, cli] = ["@game-data/tree-link", "@game-data/cli"].map((wanted) =>
    whole.find(({ name }) => name === wanted),
  );
  const program = [join(import.meta.dirname, "publish.mjs"), release];
  const stubs = { ...process.env, ...stubbed(["npm", "gh"]) };
  const run = (more) =>
    spawnSync(process.execPath, program, {
      encoding: "utf8",
      cwd: repository,
      env: { ...stubs, ...more },
    });
  const isRefused = (reason, env) => {
    const { status, stderr } = run(env);
    if (status === 0 || !reason.test(stderr)) fail(`expected ${reason}: ${stderr}`);
    if (kept().steps.length > 0) fail(`something was done before ${reason}`);
  };
  return { cli, file, isRefused, link, list, run, whole };
};

/** A release that is not whole: without executables and images, which then are made up, or others. */
const refuseParts = ({ file, isRefused, link }) => {
  isRefused(/not released without .*gamedata-linux-x64/);
  for (const system of ["linux-x64", "linux-arm64", "macos-arm64", "windows-x64.exe"])
    for (const end of ["", ".licences.txt", ".cdx.json"])
      writeFileSync(file(`gamedata-${system}${end}`), "");
  isRefused(/not released without \S*game-data-follower\.oci\.tar$/m);
  for (const image of ["follower", "sandbox"])
    writeFileSync(file(`game-data-${image}.oci.tar`), "");
  for (const end of [".tgz", ".cdx.json", ".md"]) {
    const part = file(`game-data-tree-link-${link.version}${end}`);
    renameSync(part, join(folder, "aside"));
    isRefused(/not released without/);
    mkdirSync(part);
    isRefused(/not released without/);
    rmSync(part, { recursive: true });
    renameSync(join(folder, "aside"), part);
  }
};

/** A list that says something else than the tarballs, and a tarball that is packed anew. */
const refuseLists = ({ cli, file, isRefused, link, list }) => {
  for (const [changes, reason] of [
    [{ name: "--registry=https://example.com" }, /is no package of this repository/],
    [{ name: "-Ra/b" }, /is no package of this repository/],
    [{ name: "@game-data/../a" }, /is no package of this repository/],
    [{ version: "latest" }, /is no package of this repository/],
    [{ folder: "../a b" }, /is no package of this repository/],
    [{ folder: "docs" }, /no commit has written docs\/CHANGELOG\.md/],
    [{ integrity: "sha512-b" }, /is not what was packed/],
  ]) {
    list({ ...link, ...changes }, cli);
    isRefused(reason);
  }
  for (const packages of [[], [link, cli, link]]) {
    list(...packages);
    isRefused(/no package, or one twice/);
  }
  const tarball = file(`game-data-tree-link-${link.version}.tgz`);
  const own = { name: link.name, version: link.version };
  const publishConfig = { registry: "https://example.com" };
  renameSync(tarball, join(folder, "aside"));
  mkdirSync(join(folder, "package"));
  for (const changes of [{ name: cli.name }, { version: "2.0.0" }, { publishConfig }]) {
    writeFileSync(join(folder, "package/package.json"), JSON.stringify({ ...own, ...changes }));
    execFileSync("tar", ["-czf", tarball, "-C", folder, "package"]);
    list({ ...link, integrity: integrityOf(tarball) }, cli);
    isRefused(/tgz holds/);
  }
  renameSync(join(folder, "aside"), tarball);
  list(link, cli);
};

/** A repository, a registry and releases that another run has left. */
const refusePast = ({ isRefused, link }, repository) => {
  const id = `${link.name}@${link.version}`;
  const tag = (...args) => execFileSync("git", ["tag", ...args], { cwd: repository });
  for (const BROKEN of ["npm", "gh"]) isRefused(/E500/, { BROKEN });
  tag(id, "HEAD^");
  isRefused(/the tag @game-data\/tree-link@\S+ is at/);
  tag("--force", id);
  keep({ published: { [id]: "sha512-b" } });
  isRefused(/the registry has another file/);
  keep({ releases: { [id]: "false" } });
  isRefused(/is released, and the registry has nothing/);
};

/** Kills it at each of its steps: the next run goes on. */
const kill = ({ file, run }) => {
  keep();
  if (run().status !== 0) fail("it is not published");
  const { steps: all } = kept();
  if (all.length !== 4 || !all.slice(2).every((step) => step.startsWith("release create")))
    fail("a release before all is published");
  for (const KILL of all.flatMap((_, i) => [`before ${i}`, `after ${i}`])) {
    keep();
    if (run({ KILL }).status === 0) fail(`it was not killed ${KILL}`);
    if (run().status !== 0) fail(`it does not go on after it was killed ${KILL}`);
    const { published, releases, steps } = kept();
    const done = steps.filter((step) => !step.startsWith("release delete"));
    if (done.toSorted().join("\n") !== all.toSorted().join("\n"))
      fail(`${KILL}: a step is done twice`);
    const isWhole = Object.values(releases).every((isDraft) => isDraft === "false");
    if (Object.keys(published).length !== 2 || !isWhole) fail(`${KILL}: it is not whole`);
  }
  // What is released stays as it is, also where other files are at hand, or none.
  rmSync(file("game-data-follower.oci.tar"));
  const { status } = run();
  if (status !== 0 || kept().steps.length !== all.length) fail("what is released is done again");
  writeFileSync(file("game-data-follower.oci.tar"), "");
};

/** Rehearses with two packages of `release`, and leaves it whole. */
export const rehearse = (repository, release) => {
  const stage = stageOf(repository, release);
  keep();
  stage.list(stage.link, stage.cli);
  refuseParts(stage);
  refuseLists(stage);
  refusePast(stage, repository);
  kill(stage);
  keep();
  stage.list(...stage.whole);
};
