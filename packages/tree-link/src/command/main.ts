#!/usr/bin/env node
/**
 * `tree-link vectors|fuzz [--seed N] [--cases N] [--seconds N] -- COMMAND`: tests a codec in any
 * language.
 *
 * Exit codes: 0 nothing differs, 1 something does, 2 the program ended, did not answer within ten
 * seconds or skipped every question, or the command line is wrong. `vectors/README.md` describes
 * the questions.
 */
import { command } from "./command.ts";

process.exitCode = await command(process.argv.slice(2), console);
