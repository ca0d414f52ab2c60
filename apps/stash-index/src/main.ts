#!/usr/bin/env node
/**
 * The stash index: follows the public stash stream, indexes it, and serves search, prices and the
 * exchange as a page and an HTTP API.
 */
import { enableCompileCache } from "node:module";

// Before any other import: the second start is twice as fast.
enableCompileCache();
const [{ runMain }, { command }] = await Promise.all([
  import("@game-data/terminal/runMain"),
  import("./command.ts"),
]);

runMain(command, { name: "stash-index", version: "1.0.0" });
