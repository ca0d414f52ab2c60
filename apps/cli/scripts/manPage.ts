/**
 * Writes the man page `gamedata(1)` from the command tree, the exit codes and the settings.
 */
import { ExitCode } from "@game-data/terminal/ExitCode";
import { failureCodes } from "@game-data/terminal/failureCodes";
import { outputFlags } from "@game-data/terminal/Output";
import * as NodeServices from "@effect/platform-node/NodeServices";
import { Effect, Option } from "effect";
import { CliOutput, Command, type HelpDoc } from "effect/cli";
import { gamedata } from "../src/Cli.ts";
import { SETTINGS, variableOf } from "../src/config/names.ts";

/** Returns the help of a command, which Effect's CLI makes for `--help`. */
const helpOf = (path: ReadonlyArray<string>): Promise<HelpDoc.HelpDoc> => {
  let found: HelpDoc.HelpDoc | undefined;
  const presenter: CliOutput.Presenter = {
    present: (event) =>
      Effect.sync(() => {
        if (event._tag === "Help") found = event.helpDoc;
      }),
  };
  const whole = Command.withGlobalFlags(gamedata, outputFlags);
  const help = Command.runWith(whole, { version: "" })([...path, "--help"]);
  return Effect.runPromise(
    (help as Effect.Effect<void, unknown, never>).pipe(
      Effect.ignore,
      Effect.provideService(CliOutput.Presenter, presenter),
      Effect.provide(NodeServices.layer),
      Effect.map(() => {
        if (found === undefined) throw new Error(`no help for ${path.join(" ")}`);
        return found;
      }),
    ) as Effect.Effect<HelpDoc.HelpDoc>,
  );
};

/** Escapes text for troff. */
const text = (value: string) =>
  value
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll(/^([.'])/gmu, "\\&$1");

const describeFlag = ({ aliases, description, name, type }: HelpDoc.FlagDoc): string => {
  const names = [...aliases, `--${name}`].map((each) => `\\fB${text(each)}\\fR`).join(", ");
  const value = type === "boolean" ? "" : ` \\fI${text(type)}\\fR`;
  return `.TP\n${names}${value}\n${text(Option.getOrElse(description, () => ""))}`;
};

const describeExamples = (examples: HelpDoc.HelpDoc["examples"]): ReadonlyArray<string> =>
  (examples ?? []).flatMap(({ command, description = "" }) => [
    ".PP",
    `${text(description)}:`,
    ".PP",
    ".RS 4",
    ".nf",
    text(command),
    ".fi",
    ".RE",
  ]);

/** Documents a command and its subcommands. */
const describeCommand = async (path: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const help = await helpOf(path);
  const names = help.subcommands?.flatMap(({ commands }) => commands.map(({ name }) => name)) ?? [];
  if (names.length > 0)
    return (await Promise.all(names.map((name) => describeCommand([...path, name])))).flat();
  const args = (help.args ?? []).map(
    ({ description, name }) =>
      `.TP\n\\fI${text(name)}\\fR\n${text(Option.getOrElse(description, () => ""))}`,
  );
  return [
    `.SS ${text(help.usage)}`,
    text(help.description),
    ...args,
    ...help.flags.map(describeFlag),
    ...describeExamples(help.examples),
  ];
};

/** Returns the man page. */
export const manPage = async (version: string): Promise<string> => {
  const root = await helpOf([]);
  const connected = await helpOf(["whoami"]);
  const commands = await describeCommand([]);
  const exitCodes = Object.values(ExitCode)
    .filter((code) => code !== ExitCode.ok && code !== ExitCode.interrupted)
    .map((code) => {
      const meanings = Object.entries(failureCodes)
        .filter(([, { exitCode }]) => exitCode === code)
        .map(([name]) => name);
      return `.TP\n.B ${code}\n${text(meanings.join(", "))}`;
    });
  return `${[
    `.TH GAMEDATA 1 "" "gamedata ${version}" "Game Data"`,
    ".SH NAME",
    "gamedata \\- work with the Game Data API from the command line",
    ".SH SYNOPSIS",
    ".B gamedata",
    "\\fIcommand\\fR [\\fIoptions\\fR]",
    ".SH DESCRIPTION",
    text(root.description),
    "Results are printed on standard output; progress and errors on standard error.",
    ".SH COMMANDS",
    ...commands,
    ".SH OPTIONS OF EVERY COMMAND",
    ...(root.globalFlags ?? []).map(describeFlag),
    ".SH OPTIONS OF COMMANDS THAT USE THE SERVICE",
    ...(connected.globalFlags ?? [])
      .filter(({ name }) => !root.globalFlags?.some((flag) => flag.name === name))
      .map(describeFlag),
    ".SH EXIT STATUS",
    ".TP\n.B 0\nsuccess",
    ...exitCodes,
    ".TP\n.B 130\ninterrupted by Ctrl\\-C or SIGTERM",
    ".SH ENVIRONMENT",
    ...[...SETTINGS, "config", "profile"].map(
      (name) => `.TP\n.B ${variableOf(name)}\nthe setting ${name}`,
    ),
    ".TP\n.B NO_COLOR\nprint without colour",
    ".SH FILES",
    ".TP\n.I ~/.config/gamedata/config.json\nsettings and profiles",
    ".TP\n.I ~/.local/state/gamedata/tokens\ntokens of the sign\\-in",
  ].join("\n")}\n`;
};
