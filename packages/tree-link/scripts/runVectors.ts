/**
 * Runs the readers of the vectors in other languages: `node
 * packages/tree-link/scripts/runVectors.ts`. Fails if a toolchain is missing;
 * `scripts/with-services.mjs --install python,go` installs the first two, and Debian brings Perl.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const runners = join(import.meta.dirname, "../vectors/runners");
const python = process.env["GAME_DATA_PYTHON"] ?? "python3";
const go = process.env["GAME_DATA_GO"] ?? "go";

const perl = process.env["GAME_DATA_PERL"] ?? "perl";

const run = (command: string, args: ReadonlyArray<string>, cwd: string) => {
  const { error, status } = spawnSync(command, args, { cwd, stdio: "inherit" });
  if (error !== undefined) console.error(`${command}: ${error.message}`);
  if (status !== 0) process.exitCode = 1;
};

run(python, ["runner.py"], runners);
run(go, ["run", ".", "../.."], join(runners, "go"));
run(perl, ["runner.pl"], runners);
