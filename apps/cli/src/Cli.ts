/**
 * The command tree of `gamedata`, and how its failures leave the program.
 */
import { Effect } from "effect";
import { Command } from "effect/cli";
import manifest from "../package.json" with { type: "json" };
import { treeCommand } from "./commands/Tree.ts";
import { ExitCode } from "./ExitCode.ts";
import { Failure } from "./Failure.ts";
import { Json, note, printFailure } from "./Output.ts";

/** The root command. */
export const gamedata = Command.make("gamedata").pipe(
  Command.withDescription("The Game Data API at a shell prompt"),
  Command.withSubcommands([treeCommand]),
  Command.withGlobalFlags([Json]),
);

/** Runs a command line. Fails with what was already printed; the error carries the exit code. */
export const run = (
  args: ReadonlyArray<string>,
): Effect.Effect<void, Failure, Command.Environment> =>
  Command.runWith(gamedata, { version: manifest.version })(args).pipe(
    Effect.catch((error) => {
      if (error instanceof Failure)
        return Effect.andThen(printFailure(error, args.includes("--json")), Effect.fail(error));
      if (error._tag === "ShowHelp" && error.errors.length === 0) return Effect.void;
      // Already printed, with the help of the command.
      return Effect.fail(
        new Failure({ code: "usage", exitCode: ExitCode.usage, message: error.message }),
      );
    }),
    Effect.tapDefect((defect) => note(`A fault of this program: ${String(defect)}`)),
  );
