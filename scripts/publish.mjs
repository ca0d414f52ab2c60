// Publishes what `release.mjs` packed: the tarballs first, then a GitHub release each, with its
// changes, its bill of materials and, for the CLI and the sandbox, executables and images.
//
//   node scripts/publish.mjs FOLDER
//
// It runs where npm trusts the job (OIDC), so it imports Node alone, and installs and builds nothing.
// Each step asks first whether it was done: a run that was cut off goes on where it stopped. It guards
// against mistakes of what packs, and of a run before: who may change this file can publish anything.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** The executables and images, with licences and bills of materials, that a release must have. */
const MORE_FILES = {
  "@game-data/cli": ["linux-x64", "linux-arm64", "macos-arm64", "windows-x64.exe"]
    .flatMap((system) =>
      ["", ".licences.txt", ".cdx.json"].map((end) => `gamedata-${system}${end}`),
    )
    .concat("game-data-follower.oci.tar"),
  "@game-data/sandbox": ["game-data-sandbox.oci.tar"],
};

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

const digestOf = (algorithm, file, form) =>
  createHash(algorithm)
    .update(readFileSync(join(folder, file)))
    .digest(form);
/** What the registry says of the tarball that it has; `undefined` if it has none. */
const integrityOf = (id) =>
  askFor(/E404|ETARGET/, "npm", "view", id, "dist.integrity")?.trim() || undefined;
const releaseOf = (id) => {
  const fields = ["--json", "isDraft,assets"];
  const found = askFor(/release not found/i, "gh", "release", "view", id, ...fields);
  return found && JSON.parse(found);
};
/**
 * Whether a release has a file as it is here. An upload that was cut off leaves its name behind, in
 * the state "starter": it is replaced, as is what another run has built.
 */
const isPresent = (release, file) =>
  release?.assets.some(
    ({ digest, name, state }) =>
      name === file &&
      state === "uploaded" &&
      digest === `sha256:${digestOf("sha256", file, "hex")}`,
  );
/** A rerun may be at a later commit: the release is of the one that wrote the version. */
const commitOf = (packageFolder) =>
  ask("git", "log", "-1", "--format=%H", "--", join(packageFolder, "CHANGELOG.md")).trim();
const tagOf = (id) =>
  askFor(/^$/, "git", "rev-parse", "--quiet", "--verify", `refs/tags/${id}^{commit}`)?.trim();

/**
 * A package with the names of its files, which follow from its own: npm would run the scripts of a
 * folder, and fetch what looks like a repository. The tarball is the one that was packed, and holds
 * the package that it is published as.
 */
const checked = ({ folder: of, name, sha256, version }) => {
  const id = `${name}@${version}`;
  if (!/^@game-data\/[a-z-]+@\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(id) || !/^[\w/-]+$/.test(of))
    throw new Error(`${id} in ${of} is no package of this repository`);
  const stem = `${name.slice(1).replace("/", "-")}-${version}`;
  const [tarball, notes] = [`${stem}.tgz`, `${stem}.md`];
  const wanted = [tarball, `${stem}.cdx.json`, ...(MORE_FILES[name] ?? [])];
  for (const file of [...wanted, notes])
    if (existsSync(join(folder, file)) && !lstatSync(join(folder, file)).isFile())
      throw new Error(`${id}: ${file} is no file`);
  if (!existsSync(join(folder, tarball)) || digestOf("sha256", tarball, "hex") !== sha256)
    throw new Error(`${id}: ${tarball} is not what was packed`);
  const own = JSON.parse(ask("tar", "-xzOf", join(folder, tarball), "package/package.json"));
  if (own.name !== name || own.version !== version || own.publishConfig?.registry)
    throw new Error(`${id}: ${tarball} holds ${own.name}@${own.version}, or another registry`);
  return { id, notes, of, tarball, wanted };
};

/** What is left to do for a package. Throws if that cannot be done to its end. */
const planOf = ({ id, notes, of, tarball, wanted }) => {
  const integrity = integrityOf(id);
  const release = releaseOf(id);
  const plan = { id, notes, tarball, wanted, published: integrity !== undefined, release };
  const stray = (release?.assets ?? []).filter(({ name }) => !wanted.includes(name));
  if (stray.length > 0)
    throw new Error(`${id}: nothing here attached ${stray.map(({ name }) => name).join(", ")}`);
  const isSame = `sha512-${digestOf("sha512", tarball, "base64")}` === integrity;
  if (release?.isDraft === false) {
    // A later commit packs another tarball: then only the one that was released could be compared.
    const isReleased = isPresent(release, tarball);
    if (!plan.published || (isReleased && !isSame))
      throw new Error(`${id}: the registry has ${integrity ?? "nothing"}, not what was released`);
    return { ...plan, isLater: !isReleased };
  }
  const absent = [notes, ...wanted].filter((file) => !existsSync(join(folder, file)));
  if (absent.length > 0) throw new Error(`${id} is not released without ${absent.join(", ")}`);
  if (plan.published && !isSame)
    throw new Error(
      `${id}: the registry has another file than ${tarball}: rerun where it was packed`,
    );
  const commit = commitOf(of);
  if (commit === "") throw new Error(`${id}: no commit has written ${of}/CHANGELOG.md`);
  const tagged = tagOf(id);
  if (tagged !== undefined && tagged !== commit)
    throw new Error(`the tag ${id} is at ${tagged}, but ${commit} wrote the version`);
  return { ...plan, commit };
};

// All questions come before the first step: what is amiss is told while nothing is done.
const all = packages.map(checked);
if (all.length === 0 || new Set(all.map(({ id }) => id)).size < all.length)
  throw new Error("release.json lists no package, or one twice");
const plans = all.map(planOf);

for (const { id, isLater, published, tarball } of plans)
  if (published)
    console.log(`${id} is published already${isLater ? ", of an earlier commit" : ""}`);
  else step(`publish ${id}`, "npm", "publish", resolve(folder, tarball), ...NPM_OPTIONS);

for (const { commit, id, notes, release, wanted } of plans) {
  if (release?.isDraft === false) continue;
  if (release === undefined) {
    const draft = ["--draft", "--title", id, "--notes-file", join(folder, notes)];
    step(`draft ${id}`, "gh", "release", "create", id, ...draft, "--target", commit);
  }
  for (const file of wanted.filter((each) => !isPresent(release, each)))
    step(`attach ${file}`, "gh", "release", "upload", id, join(folder, file), "--clobber");
  step(`release ${id}`, "gh", "release", "edit", id, "--draft=false");
}
