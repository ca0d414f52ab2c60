/** The commands of `gamedata`, and the function that runs a command line. */
import { Effect, Logger } from "effect";
import { CliOutput, Command } from "effect/cli";
import manifest from "../package.json" with { type: "json" };
import { api } from "./commands/api.ts";
import { doctor } from "./commands/doctor.ts";
import { ladder, stash } from "./commands/exports.ts";
import { filter } from "./commands/filter.ts";
import { limits } from "./commands/limits.ts";
import { readCommands } from "./commands/reads.ts";
import { schemas } from "./commands/schemas.ts";
import { login, logout, token, whoami } from "./commands/signIn.ts";
import { stream } from "./commands/stream.ts";
import { tree } from "./commands/tree.ts";
import { reported } from "./failures.ts";
import { presenter } from "./help.ts";
import { outputFlags } from "./print.ts";

/** The root command, with its help and its groups of subcommands. */
export const gamedata = Command.make("gamedata").pipe(
  Command.withDescription("Work with the Game Data API from the command line."),
  Command.withExamples([
    { command: "gamedata doctor", description: "Check the configuration" },
    { command: "gamedata login", description: "Sign in" },
    { command: "gamedata characters list --json", description: "Characters as JSON" },
    { command: "gamedata ladder export Standard --out ranks.csv", description: "A whole ladder" },
  ]),
  Command.withSubcommands([
    { group: "Signing in", commands: [login, logout, whoami, token, doctor] },
    { group: "Exports and uploads", commands: [ladder, stash, filter] },
    { group: "Reading", commands: readCommands },
    { group: "Service", commands: [stream, limits, api] },
    { group: "Offline tools", commands: [tree, schemas] },
  ]),
  Command.withGlobalFlags(outputFlags),
);

/**
 * Runs a command line. Fails with the exit code of a failure, which it has printed. Logs go to
 * stderr.
 */
export const runGamedata = (args: ReadonlyArray<string>) => {
  const isJson = args.includes("--json") || args.includes("--ndjson");
  return Command.runWith(gamedata, { version: manifest.version })(args).pipe(
    Effect.scoped,
    (program) => reported(program, isJson),
    Effect.provideServiceEffect(CliOutput.Presenter, presenter(isJson)),
    Effect.provideService(Logger.LogToStderr, true),
  );
};
