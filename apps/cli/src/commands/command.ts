/**
 * Makes a command with its help, and a group of commands.
 */
import type { Effect } from "effect";
import { Command } from "effect/cli";

/** What help says of a command: a text, and command lines with what each does. */
export type Help = readonly [about: string, examples: Readonly<Record<string, string>>];
export const help = (about: string, examples: Help[1] = {}): Help => [about, examples];

/** Makes a command. Lists of commands show the beginning of its text, up to the first mark. */
export const command = <const Name extends string, const P extends Command.Command.Config, E, R>(
  name: Name,
  [about, examples]: Help,
  parameters: P,
  run: (values: Command.Command.Config.Infer<P>) => Effect.Effect<void, E, R>,
) =>
  Command.make(name, parameters, run).pipe(
    Command.withDescription(about),
    Command.withShortDescription(/^[^.,:;\n]*/u.exec(about)![0]),
    Command.withExamples(
      Object.entries(examples).map(([line, description]) => ({ command: line, description })),
    ),
  );

/** Makes a command that has subcommands alone. */
export const commands = <
  const Name extends string,
  const Subcommands extends ReadonlyArray<Command.Command<any, any, any, any, any>>,
>(
  name: Name,
  about: string,
  subcommands: Subcommands,
) => Command.make(name).pipe(Command.withDescription(about), Command.withSubcommands(subcommands));
