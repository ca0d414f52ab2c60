// Bundles `gamedata` for npm: one chunk per command group, so that a command loads what it needs.
// Writes dist/ with the licences of what is in it, and the completion files. `--outdir DIR` writes elsewhere, `--no-docs` the bundle only.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { options, root } from "./bundle.mjs";
import { licences } from "../../../support/src/licences.mjs";

const { values } = parseArgs({
  options: {
    outdir: { type: "string", default: join(root, "dist") },
    "no-docs": { type: "boolean", default: false },
    metafile: { type: "boolean", default: false },
  },
});
const { outdir } = values;

rmSync(outdir, { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: { main: join(root, "src/main.ts") },
  ...options,
  splitting: true,
  metafile: true,
  outdir,
  legalComments: "linked",
});
writeFileSync(join(outdir, "LICENCES.txt"), licences(metafile));
if (values.metafile) writeFileSync(join(outdir, "meta.json"), JSON.stringify(metafile));

if (!values["no-docs"]) {
  const gamedata = (...args) =>
    execFileSync(process.execPath, [join(outdir, "main.js"), ...args], { encoding: "utf8" });
  const completions = join(root, "completions");
  mkdirSync(completions, { recursive: true });
  for (const [shell, file] of [
    ["bash", "gamedata.bash"],
    ["zsh", "_gamedata"],
    ["fish", "gamedata.fish"],
  ])
    writeFileSync(join(completions, file), gamedata("--completions", shell));
}
