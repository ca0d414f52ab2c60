/**
 * The command tree of `gamedata`, and how its failures leave the program.
 */
import { Effect } from "effect";
import { type CliError, CliOutput, Command } from "effect/cli";
import manifest from "../package.json" with { type: "json" };
import { loginCommand, logoutCommand, whoamiCommand } from "./commands/Account.ts";
import { charactersCommand } from "./commands/Characters.ts";
import { doctorCommand } from "./commands/Doctor.ts";
import { exchangeCommand } from "./commands/Exchange.ts";
import { explainCommand } from "./commands/Explain.ts";
import { filtersCommand } from "./commands/Filters.ts";
import { ladderCommand } from "./commands/Ladder.ts";
import { leaguesCommand } from "./commands/Leagues.ts";
import { limitsCommand } from "./commands/Limits.ts";
import { pvpCommand } from "./commands/Pvp.ts";
import { sandboxCommand } from "./commands/Sandbox.ts";
import { schemasCommand } from "./commands/Schemas.ts";
import { guildStashCommand, stashCommand } from "./commands/Stash.ts";
import { streamCommand } from "./commands/Stream.ts";
import { tokenCommand } from "./commands/Token.ts";
import { treeCommand } from "./commands/Tree.ts";
import { type ChildEnded, type Failure, failure } from "./Failure.ts";
import { toFailure } from "./Failures.ts";
import { isForMachines, Json, Ndjson, printFailure } from "./Output.ts";

/** The root command. */
const gamedata = Command.make("gamedata").pipe(
  Command.withDescription("The Game Data API at a shell prompt"),
  Command.withSubcommands([
    {
      group: "Signing in",
      commands: [loginCommand, logoutCommand, whoamiCommand, tokenCommand],
    },
    {
      group: "The account",
      commands: [charactersCommand, stashCommand, guildStashCommand, filtersCommand],
    },
    {
      group: "The service",
      commands: [
        leaguesCommand,
        ladderCommand,
        pvpCommand,
        streamCommand,
        exchangeCommand,
        limitsCommand,
      ],
    },
    {
      group: "Tools",
      commands: [treeCommand, schemasCommand, sandboxCommand, doctorCommand, explainCommand],
    },
  ]),
  Command.withGlobalFlags([Json, Ndjson]),
);

/** Runs a command line. Fails with what was already printed; the error carries the exit code. */
export const run = (
  args: ReadonlyArray<string>,
): Effect.Effect<void, Failure | ChildEnded, Command.Environment> => {
  const isJson = isForMachines(args);
  const shown = (error: Failure) => Effect.andThen(printFailure(error, isJson), Effect.fail(error));
  return Effect.scoped(Command.runWith(gamedata, { version: manifest.version })(args)).pipe(
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
  );
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
