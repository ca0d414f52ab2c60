#!/usr/bin/env node
/**
 * Runs `npm create @game-data`: copies a template into a new folder, and prints the next steps.
 * Needs no network, and runs no other program.
 *
 * Until the version is checked, imports only names that an old Node has.
 */
import { join } from "node:path";
import process from "node:process";

/** `EX_USAGE` and `EX_CONFIG` of sysexits.h. */
const USAGE_ERROR = 64;
const CONFIGURATION_ERROR = 78;

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  console.error(
    `@game-data/create needs Node 22.19 or later; this is Node ${process.versions.node}.`,
  );
  process.exit(CONFIGURATION_ERROR);
}
const { create, RefusedInput } = await import("./create.ts");
try {
  const templates = join(import.meta.dirname, "../templates");
  console.log(create(process.argv.slice(2), { ...process.env, templates }));
} catch (error) {
  const { message } = error as Error;
  console.error(message);
  process.exitCode = error instanceof RefusedInput ? USAGE_ERROR : 1;
}
