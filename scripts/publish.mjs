// Publishes what `release.mjs` packed, and makes a GitHub release of each package:
// node scripts/publish.mjs [FOLDER]
//
// It runs where npm trusts the job (OIDC), so it imports Node alone, and installs and builds nothing.
// `changeset publish` needs the installed workspace. Each step asks first whether it was done, so a
// run that was stopped is started again and finishes.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const folder = resolve(process.argv[2] ?? "release");
const packages = JSON.parse(readFileSync(join(folder, "release.json"), "utf8"));

/** What a command prints, or `undefined` if it says that there is no such thing. */
const ask = (missing, command, ...args) => {
  try {
    return execFileSync(command, args, { encoding: "utf8", stdio: "pipe" }).trim() || undefined;
  } catch (error) {
    if (missing.test(error.stderr)) return undefined;
    throw error;
  }
};
const step = (command, ...args) => {
  console.log(command, ...args.slice(0, 3));
  execFileSync(command, args, { stdio: "inherit" });
};

// All questions come before the first step, so a release that cannot be finished is not begun.
if (packages.length === 0) throw new Error("release.json lists no package");
const plans = packages.map(({ file, integrity, name, notes, version }) => {
  const id = `${name}@${version}`;
  if (!/^@game-data\/[a-z-]+@\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(id) || !/^[\w.-]+\.tgz$/.test(file))
    throw new Error(`${id} in ${file} is not a package of this repository`);
  const tarball = join(folder, file);
  const digest = createHash("sha512").update(readFileSync(tarball)).digest("base64");
  if (`sha512-${digest}` !== integrity) throw new Error(`${tarball} is not what was packed`);
  const isPublished = ask(/E404|ETARGET/, "npm", "view", id, "version") !== undefined;
  const isReleased = ask(/release not found/i, "gh", "release", "view", id) !== undefined;
  return { id, isPublished, isReleased, notes, tarball };
});

for (const { isPublished, tarball } of plans)
  if (!isPublished) step("npm", "publish", tarball, "--access", "public", "--ignore-scripts");
for (const { id, isReleased, notes } of plans)
  if (!isReleased)
    step("gh", "release", "create", id, "--target", process.env.GITHUB_SHA, "--notes", notes);
