// Publishes what `release.mjs` packed: the tarballs first, then a GitHub release each, with its
// changes, its bill of materials and, for the CLI and the sandbox, executables and images.
//
//   node scripts/publish.mjs FOLDER
//
// It runs where npm trusts the job (OIDC), so it imports Node alone, and installs and builds nothing.
// Each step asks first whether it was done: a run that was cut off goes on where it stopped. It guards
// against mistakes of what packs, and of a run before: who may change this file can publish anything.
// `changeset publish` and `pnpm publish -r` install the workspace, and know nothing of what lies beside.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, readFileSync } from "node:fs";
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

const [folder = "release"] = process.argv.slice(2);
const ask = (command, ...args) => execFileSync(command, args, { encoding: "utf8", stdio: "pipe" });
const step = (what, command, ...args) => {
  console.log(what);
  execFileSync(command, args, { stdio: "inherit" });
};
/** The answer, or `undefined` if it was that there is no such thing; fails with any other error. */
const askFor = (nothing, command, ...args) => {
  try {
    return ask(command, ...args).trim() || undefined;
  } catch (error) {
    if (nothing.test(`${error.stderr}`)) return undefined;
    throw error;
  }
};
const isFile = (file) => lstatSync(file, { throwIfNoEntry: false })?.isFile() === true;

/**
 * What is left to do for a package. Throws if that cannot be done to its end. The names of its files
 * follow from its own: npm would run the scripts of a folder, and fetch what looks like a repository.
 */
const planOf = ({ folder: of, integrity, name, version }) => {
  const id = `${name}@${version}`;
  if (!/^@game-data\/[a-z-]+@\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(id) || !/^[\w/-]+$/.test(of))
    throw new Error(`${id} in ${of} is no package of this repository`);
  const published = askFor(/E404|ETARGET/, "npm", "view", id, "dist.integrity");
  const isDraft = ["release", "view", id, "--json", "isDraft", "--jq", ".isDraft"];
  const release = askFor(/release not found/i, "gh", ...isDraft);
  if (release === "false" && published === undefined)
    throw new Error(`${id} is released, and the registry has nothing`);
  if (release === "false") return { id, isReleased: true, published };

  const at = (end) => join(folder, `${name.slice(1).replace("/", "-")}-${version}${end}`);
  const [tarball, notes, bill] = [".tgz", ".md", ".cdx.json"].map(at);
  const files = [tarball, bill, ...(MORE_FILES[name] ?? []).map((file) => join(folder, file))];
  const absent = [...files, notes].filter((file) => !isFile(file));
  if (absent.length > 0) throw new Error(`${id} is not released without ${absent.join(", ")}`);
  const digest = createHash("sha512").update(readFileSync(tarball)).digest("base64");
  if (`sha512-${digest}` !== integrity) throw new Error(`${id}: ${tarball} is not what was packed`);
  const own = JSON.parse(ask("tar", "-xzOf", tarball, "package/package.json"));
  if (own.name !== name || own.version !== version || own.publishConfig?.registry)
    throw new Error(`${id}: ${tarball} holds ${own.name}@${own.version}, or another registry`);
  if (published !== undefined && published !== integrity)
    throw new Error(`${id}: the registry has another file: rerun where ${tarball} was packed`);
  // A rerun may be at a later commit: the release is of the one that wrote the version.
  const commit = ask("git", "log", "-1", "--format=%H", "--", join(of, "CHANGELOG.md")).trim();
  if (commit === "") throw new Error(`${id}: no commit has written ${of}/CHANGELOG.md`);
  const tag = ["rev-parse", "--quiet", "--verify", `refs/tags/${id}^{commit}`];
  const tagged = askFor(/^$/, "git", ...tag) ?? commit;
  if (tagged !== commit)
    throw new Error(`the tag ${id} is at ${tagged}, but ${commit} wrote the version`);
  return { commit, files, id, notes, published, release, tarball };
};

// All questions come before the first step: what is amiss is told while nothing is done.
const packages = JSON.parse(readFileSync(join(folder, "release.json"), "utf8"));
if (packages.length === 0 || new Set(packages.map(({ name }) => name)).size < packages.length)
  throw new Error("release.json lists no package, or one twice");
const plans = packages.map(planOf);

const options = ["--access", "public", "--ignore-scripts"];
for (const { id, published, tarball } of plans)
  if (published === undefined)
    step(`publish ${id}`, "npm", "publish", resolve(tarball), ...options);
  else console.log(`${id} is published already`);

for (const { commit, files, id, isReleased, notes, release } of plans) {
  if (isReleased) continue;
  // gh drafts a release while it uploads: one that was cut off may hold half of a file.
  if (release !== undefined) step(`drop the draft ${id}`, "gh", "release", "delete", id, "--yes");
  const about = ["--title", id, "--notes-file", notes, "--target", commit];
  step(`release ${id}`, "gh", "release", "create", id, ...files, ...about);
}
