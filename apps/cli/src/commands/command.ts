/**
 * Makes a command with its help, and a group of commands.
 */
import type { Effect } from "effect";
import { Command } from "effect/cli";

/** What help says of a command. */
export interface Help {
  readonly about: string;
  /** In a list of commands. Default: the first sentence of `about`. */
  readonly short?: string;
  /** Command lines, and what each does. */
  readonly examples?: Readonly<Record<string, string>>;
}

/** Makes a command. */
export const command = <const Name extends string, const P extends Command.Command.Config, E, R>(
  name: Name,
  { about, examples = {}, short = /^[^.]*/u.exec(about)![0] }: Help,
  parameters: P,
  run: (values: Command.Command.Config.Infer<P>) => Effect.Effect<void, E, R>,
) =>
  Command.make(name, parameters, run).pipe(
    Command.withDescription(about),
    Command.withShortDescription(short),
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
