// Packs the package of the current folder, then runs publint and attw on the tarball.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const out = mkdtempSync(join(tmpdir(), "pack-"));
const bin = join(import.meta.dirname, "../node_modules/.bin");
const run = (command, ...args) => execFileSync(command, args, { stdio: "inherit" });
try {
  run("pnpm", "pack", "--pack-destination", out, "--silent");
  const [name] = readdirSync(out);
  if (name === undefined) throw new Error("nothing was packed");
  const tarball = join(out, name);
  run(join(bin, "publint"), "run", tarball, "--strict");
  run(join(bin, "attw"), tarball, "--profile", "esm-only", "--quiet");
} finally {
  rmSync(out, { recursive: true });
}
