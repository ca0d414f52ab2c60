// Publishes what `release.mjs` packed: the tarballs first, then a GitHub release each, with its
// changes, its bill of materials and, for the CLI, its executables.
//
//   node scripts/publish.mjs FOLDER
//
// It runs where npm trusts the job (OIDC), so it imports Node alone, and installs and builds nothing.
// Each step asks first whether it was done: a run that was cut off goes on where it stopped.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";

/** The executables, with licences and bills of materials, without which the CLI is not released. */
const EXECUTABLES = ["linux-x64", "linux-arm64", "macos-arm64", "windows-x64.exe"].flatMap(
  (system) => ["", ".licences.txt", ".cdx.json"].map((end) => `gamedata-${system}${end}`),
);

const NPM_OPTIONS = ["--access", "public", "--ignore-scripts"];

const [folder = "release"] = process.argv.slice(2);
const { packages } = JSON.parse(readFileSync(join(folder, "release.json"), "utf8"));

const ask = (command, ...args) => execFileSync(command, args, { encoding: "utf8", stdio: "pipe" });
const step = (what, command, ...args) => {
  console.log(what);
  execFileSync(command, args, { stdio: "inherit" });
};
/** The answer, or `undefined` if it was that there is no such thing; fails with any other error. */
const askFor = (nothing, command, ...args) => {
  try {
    return ask(command, ...args);
  } catch (error) {
    if (nothing.test(`${error.stderr}`)) return undefined;
    throw error;
  }
};

const isPublished = (id) => Boolean(askFor(/E404|ETARGET/, "npm", "view", id, "version")?.trim());
const releaseOf = (id) => {
  const fields = ["--json", "isDraft,assets"];
  const found = askFor(/release not found/i, "gh", "release", "view", id, ...fields);
  return found && JSON.parse(found);
};
/** A rerun may be at a later commit: the release is of the one that wrote the version. */
const commitOf = (packageFolder) =>
  ask("git", "log", "-1", "--format=%H", "--", join(packageFolder, "CHANGELOG.md")).trim();
const tagOf = (id) =>
  askFor(/^$/, "git", "rev-parse", "--quiet", "--verify", `refs/tags/${id}^{commit}`)?.trim();

/**
 * The files of a package are plain files of the folder, and the tarball is the one that was packed:
 * npm would run the scripts of a folder, and fetch what looks like a repository.
 */
const checkFiles = ({ files, id, notes, sha256, tarball }) => {
  for (const file of [tarball, notes, ...files]) {
    if (!/^\w[\w.@-]*$/.test(file)) throw new Error(`${id}: ${file} is no file of the folder`);
    const path = join(folder, file);
    if (existsSync(path) && !lstatSync(path).isFile()) throw new Error(`${id}: ${file} is no file`);
  }
  const path = join(folder, tarball);
  if (!tarball.endsWith(".tgz")) throw new Error(`${id}: ${tarball} is no tarball`);
  if (!existsSync(path)) return;
  const found = createHash("sha256").update(readFileSync(path)).digest("hex");
  if (found !== sha256) throw new Error(`${id}: ${tarball} is another file than was packed`);
};

/** What is left to do for a package. Throws if that cannot be done to its end. */
const planOf = ({ files, folder: of, id, name, notes, tarball }) => {
  const published = isPublished(id);
  const release = releaseOf(id);
  const plan = { id, notes, published, release, tarball };
  if (published && release?.isDraft === false) return { ...plan, wanted: [] };
  const wanted = [...files, ...(name === "@game-data/cli" ? EXECUTABLES : [])];
  const absent = [tarball, notes, ...wanted].filter((file) => !existsSync(join(folder, file)));
  if (absent.length > 0) throw new Error(`${id} is not released without ${absent.join(", ")}`);
  const commit = commitOf(of);
  if (commit === "") throw new Error(`${id}: no commit has written ${of}/CHANGELOG.md`);
  const tagged = tagOf(id);
  if (tagged !== undefined && tagged !== commit)
    throw new Error(`the tag ${id} is at ${tagged}, but ${commit} wrote the version`);
  return { ...plan, wanted, commit };
};

// All questions come before the first step: what is amiss is told while nothing is done.
packages.forEach(checkFiles);
const plans = packages.map(planOf);

for (const { id, published, tarball } of plans)
  if (!published) step(`publish ${id}`, "npm", "publish", resolve(folder, tarball), ...NPM_OPTIONS);

for (const { commit, id, notes, release, wanted } of plans) {
  if (release?.isDraft === false) continue;
  if (release === undefined) {
    const draft = ["--draft", "--title", id, "--notes-file", join(folder, notes)];
    step(`draft ${id}`, "gh", "release", "create", id, ...draft, "--target", commit);
  }
  // An upload that was cut off leaves its name behind, in the state "starter": it is replaced.
  const whole = release?.assets.filter(({ state }) => state === "uploaded") ?? [];
  const present = new Set(whole.map((asset) => asset.name));
  for (const file of wanted.filter((each) => !present.has(basename(each))))
    step(`attach ${file}`, "gh", "release", "upload", id, join(folder, file), "--clobber");
  step(`release ${id}`, "gh", "release", "edit", id, "--draft=false");
}
