/**
 * Runs a command line: prints its failure for people or scripts, and ends the process with the
 * failure's exit code.
 *
 * `runMain` is the whole `main.ts` of a program; `run` is the same without the process, for tests.
 * Commands fail with `Failure`, `ChildExit`, or the typed errors of the packages. Every program has
 * the flags of `Output`.
 */
import * as fs from "node:fs";
import * as NodeRuntime from "@effect/platform-node/NodeRuntime";
import * as NodeServices from "@effect/platform-node/NodeServices";
import { ConfigProvider, Console, Effect, Logger, type Scope } from "effect";
import { CliError, CliOutput, Command, TerminalCapabilities } from "effect/cli";
import {
  type ChildExit,
  type Failure,
  FailureHints,
  type FailureHintsService,
  failure,
} from "./Failure.ts";
import { failureCodes } from "./failureCodes.ts";
import { hasColor, Host, type HostService, Program, type ProgramInfo, widthOf } from "./Host.ts";
import {
  eraseProgress,
  isMachineReadable,
  outputFlags,
  type OutputServices,
  printFailure,
} from "./Output.ts";
import { wrapLines } from "./View.ts";
import { type PackageError, toFailure } from "./toFailure.ts";

/** Errors that a command may fail with. */
export type CommandError = Failure | ChildExit | PackageError;

/** Services that a command may use: the output flags, a scope, and those of the platform. */
export type CommandServices = Command.Environment | Scope.Scope | OutputServices;

/**
 * Runs the host's command line. Fails with an error that is already printed; it holds the exit
 * code.
 */
export const run = Effect.fnUntraced(function* <Name extends string, Input, Context>(
  command: Command.Command<Name, Input, Context, CommandError, CommandServices>,
  program: ProgramInfo,
): Effect.fn.Return<void, Failure | ChildExit> {
  const host = yield* Host;
  const isJson = isMachineReadable(host.args);
  const hints: FailureHintsService = {};
  const printed = (error: Failure) =>
    Effect.andThen(printFailure(error, isJson), Effect.fail(error));
  const whole = Command.withGlobalFlags(command, outputFlags);
  return yield* Effect.scoped(Command.runWith(whole, program)(host.args)).pipe(
    Effect.catch((error): Effect.Effect<void, Failure | ChildExit> => {
      if (error._tag === "ChildExit") return Effect.fail(error);
      if (error._tag === "Failure") return printed(error);
      if (!CliError.isCliError(error)) return printed(toFailure(error, hints));
      if (error._tag !== "ShowHelp") return printed(failure("usage", error.message));
      return error.errors.length === 0 ? Effect.void : printed(invalidUsage(error));
    }),
    Effect.provideService(CliOutput.Presenter, presenterOf(host)),
    Effect.catchDefect((defect) => printed(failure("internal", describe(defect)))),
    Effect.ensuring(Effect.sync(() => eraseProgress(host.stderr))),
    Effect.provideService(Program, program),
    Effect.provideService(FailureHints, hints),
    Effect.provideService(Console.Console, consoleOf(host)),
    Effect.provideService(TerminalCapabilities.TerminalCapabilities, {
      canColor: hasColor(host, host.stdout),
      canAnimate: host.stdout.isTTY === true,
      canPrompt: host.stdin.isTTY === true && host.stdout.isTTY === true,
    }),
    Effect.provideService(
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromEnv({ env: host.env as Record<string, string> }),
    ),
    Effect.provideService(Logger.LogToStderr, true),
    Effect.provide(NodeServices.layer),
  );
});

/**
 * Runs a program in this process: arguments in, exit code out. Ctrl-C and SIGTERM interrupt it in
 * order.
 */
export const runMain = <Name extends string, Input, Context>(
  command: Command.Command<Name, Input, Context, CommandError, CommandServices>,
  program: ProgramInfo,
): void => {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", endWithoutReader);
  // The first Ctrl-C interrupts in order; the second one exits at once.
  process.once("SIGINT", () => process.once("SIGINT", () => process.exit(130)));
  NodeRuntime.runMain(run(command, program), { disableErrorReporting: true });
};

/** Ends the process that cannot print: its own report could not be printed either, but on stderr. */
const endWithoutReader = ({ code, message }: NodeJS.ErrnoException): void => {
  // A reader that closes the pipe early (`… | head`) is not an error.
  if (code === "EPIPE") process.exit(0);
  const { exitCode, next } = failureCodes["unwritable-file"];
  try {
    fs.writeSync(2, `error: Cannot write the output (${code ?? message}).\n→ ${next}\n`);
  } catch {
    // stderr is what fails.
  }
  process.exit(exitCode);
};

/**
 * Wraps help to the terminal. Help is not printed for an invalid command line: it would scroll the
 * error off the screen.
 */
const presenterOf = (host: HostService): CliOutput.Presenter => ({
  present: (event) => {
    if (event._tag === "InvalidInvocation") return Effect.void;
    if (event._tag === "Version") return CliOutput.defaultPresenter.present(event);
    const { stdout } = host;
    const help = CliOutput.defaultFormatter({ colors: hasColor(host, stdout) });
    const width = widthOf(stdout) ?? Infinity;
    // A description has lines in its source; the formatter indents the first one alone.
    const { description } = event.helpDoc;
    const joined = description.replaceAll("\n", width === Infinity ? "\n  " : " ");
    const text = help.formatHelpDoc({ ...event.helpDoc, description: joined });
    return Console.log(wrapLines(text, width));
  },
});

/** Writes help, version and logs to the host's streams. */
const consoleOf = ({ stderr, stdout }: HostService): Console.Console => ({
  ...globalThis.console,
  log: (...values) => void stdout.write(`${values.join(" ")}\n`),
  error: (...values) => void stderr.write(`${values.join(" ")}\n`),
});

const invalidUsage = ({ commandPath, errors }: CliError.ShowHelp): Failure =>
  failure("usage", errors.map(({ message }) => inOneLine(message)).join("\n"), {
    next: `see the options with: ${commandPath.join(" ")} --help`,
  });

/** A suggestion has lines of its own. */
const inOneLine = (message: string): string =>
  message
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");

const describe = (defect: unknown) =>
  `Unexpected error: ${defect instanceof Error ? (defect.stack ?? defect.message) : String(defect)}`;
