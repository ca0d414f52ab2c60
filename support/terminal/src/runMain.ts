/**
 * Runs a command line: prints what it fails with, for people or for scripts, and ends the process
 * with the failure's exit code.
 *
 * `runMain` is the whole `main.ts` of a program; `run` is the same without the process, for tests.
 * Commands fail with `Failure`, with `ChildEnded`, or with the typed errors of the packages as they
 * are. Every program has `--json` and `--ndjson`.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime";
import * as NodeServices from "@effect/platform-node/NodeServices";
import { Effect, Logger, type Scope } from "effect";
import { type CliError, CliOutput, Command } from "effect/cli";
import { type ChildEnded, type Failure, failure } from "./Failure.ts";
import { type PackageError, toFailure } from "./toFailure.ts";
import { isForMachines, Json, Ndjson, printFailure } from "./Output.ts";
import { Program, type ProgramInfo } from "./Program.ts";

/** What a command may fail with. */
export type CommandError = Failure | ChildEnded | PackageError;

/**
 * What a command may ask for: the flags that every program has, a scope that ends with the command,
 * and the services of the platform.
 */
export type CommandServices =
  | Command.Environment
  | Scope.Scope
  | Effect.Services<typeof Json>
  | Effect.Services<typeof Ndjson>;

/**
 * Runs a command line of a program. Fails with what was already printed; the error carries the exit
 * code.
 */
export const run = <Name extends string, Input, Context>(
  command: Command.Command<Name, Input, Context, CommandError, CommandServices>,
  program: ProgramInfo,
  args: ReadonlyArray<string>,
): Effect.Effect<void, Failure | ChildEnded> => {
  const isJson = isForMachines(args);
  const shown = (error: Failure) => Effect.andThen(printFailure(error, isJson), Effect.fail(error));
  const whole = Command.withGlobalFlags(command, [Json, Ndjson]);
  return Effect.scoped(Command.runWith(whole, program)(args)).pipe(
    Effect.catch((error): Effect.Effect<void, Failure | ChildEnded> => {
      switch (error._tag) {
        case "ChildEnded":
          return Effect.fail(error);
        case "Failure":
          return shown(error);
        case "ShowHelp":
          return error.errors.length === 0 ? Effect.void : shown(misused(error));
        case "DuplicateOption":
        case "InvalidValue":
        case "MissingArgument":
        case "MissingOption":
        case "UnexpectedArgument":
        case "UnknownSubcommand":
        case "UnrecognizedOption":
        case "UserError":
        case "ValidationError":
          return shown(failure("usage", error.message));
        default:
          return shown(toFailure(error));
      }
    }),
    Effect.provideService(CliOutput.Presenter, presenter),
    Effect.catchDefect((defect) => shown(failure("internal", describe(defect)))),
    Effect.provideService(Program, program),
    Effect.provideService(Logger.LogToStderr, true),
    Effect.provide(NodeServices.layer),
  );
};

/**
 * Runs a program in this process: arguments in, exit code out, interrupted in order by Ctrl-C and
 * SIGTERM.
 */
export const runMain = <Name extends string, Input, Context>(
  command: Command.Command<Name, Input, Context, CommandError, CommandServices>,
  program: ProgramInfo,
): void => {
  // A reader that has seen enough (`… | head`) is no error.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
      process.exit(0);
    });
  }
  // The first Ctrl-C lets things end in order; the second one ends them.
  process.once("SIGINT", () => process.once("SIGINT", () => process.exit(130)));
  NodeRuntime.runMain(run(command, program, process.argv.slice(2)), {
    disableErrorReporting: true,
  });
};

/** A page of help would push what is wrong off the screen: it is printed where it was asked for. */
const presenter: CliOutput.Presenter = {
  present: (event) =>
    event._tag === "InvalidInvocation" ? Effect.void : CliOutput.defaultPresenter.present(event),
};

const misused = ({ commandPath, errors }: CliError.ShowHelp): Failure =>
  failure("usage", errors.map(({ message }) => message).join("\n"), {
    next: `see what it takes with: ${commandPath.join(" ")} --help`,
  });

const describe = (defect: unknown) =>
  `A fault of this program: ${defect instanceof Error ? (defect.stack ?? defect.message) : String(defect)}`;
