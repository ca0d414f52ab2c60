#!/usr/bin/env node
/**
 * `gamedata`: the packages at a shell prompt. Results on stdout, everything else on stderr.
 *
 * Nothing but Node's oldest names is imported here: an old Node ends with a sentence, and not with
 * the syntax error of a module that it cannot link.
 */
import module from "node:module";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(`gamedata needs Node 22.19 or later; this is Node ${process.versions.node}.`);
  process.exit(78);
}
// Before anything else is loaded: the second start is then twice as fast.
module.enableCompileCache();
const [{ runMain }, { gamedata }, { default: manifest }] = await Promise.all([
  import("@game-data/terminal/runMain"),
  import("./Cli.ts"),
  import("../package.json", { with: { type: "json" } }),
]);
runMain(gamedata, { name: "gamedata", version: manifest.version });
