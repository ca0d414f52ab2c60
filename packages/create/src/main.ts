#!/usr/bin/env node
/**
 * What `npm create @game-data` runs: copies a template into a new folder, and says what to do next.
 * It fetches nothing and runs no other program.
 */
import { join } from "node:path";
import process from "node:process";
import { create, RefusedInput } from "./create.ts";

/** `EX_USAGE` of sysexits.h. */
const USAGE_ERROR = 64;

try {
  const templates = join(import.meta.dirname, "../templates");
  console.log(create(process.argv.slice(2), { ...process.env, templates }));
} catch (error) {
  const { message } = error as Error;
  console.error(message);
  process.exitCode = error instanceof RefusedInput ? USAGE_ERROR : 1;
}
