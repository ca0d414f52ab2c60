/** Makes commands, arguments and flags with their help. */
import { Effect, type Option, Record } from "effect";
import { Argument, Command, Flag } from "effect/cli";

/** The description of a command, and command lines as examples. */
export type Help = string | readonly [about: string, ...examples: ReadonlyArray<string>];

/** Makes a command. Lists of commands show the description up to its first punctuation mark. */
export const command = <const Name extends string, const P extends Command.Command.Config, E, R>(
  name: Name,
  help: Help,
  parameters: P,
  run: (values: Command.Command.Config.Infer<P>) => Effect.Effect<void, E, R>,
) => {
  const [about, ...examples] = typeof help === "string" ? [help] : help;
  return Command.make(name, parameters, run).pipe(
    Command.withDescription(about),
    Command.withShortDescription(/^[^.,:;]*/u.exec(about)![0]),
    Command.withExamples(examples.map((line) => ({ command: line }))),
  );
};

/** Makes a command that has subcommands alone. */
export const group = <
  const Name extends string,
  const Subcommands extends ReadonlyArray<Command.Command.Any>,
>(
  name: Name,
  about: string,
  subcommands: Subcommands,
) => Command.make(name).pipe(Command.withDescription(about), Command.withSubcommands(subcommands));

/** A text that the command needs. */
export const argument = (name: string, description: string) =>
  Argument.String(name).pipe(Argument.withDescription(description));

/** An optional flag with a text. */
export const textFlag = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional);

/** A flag without a value. */
export const switchFlag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false));

/** An optional flag with one of some values. */
export const choiceFlag = <const Values extends ReadonlyArray<string>>(
  name: string,
  values: Values,
  description: string,
) => Flag.Literals(name, values).pipe(Flag.withDescription(description), Flag.optional);

/** An optional flag with a whole number. */
export const countFlag = (name: string, description: string, least = 1, most = Infinity) =>
  Flag.Int(name).pipe(
    Flag.filter(
      (count) => count >= least && count <= most,
      (count) => `Expected a number from ${least} to ${most}, got ${count}`,
    ),
    Flag.withDescription(description),
    Flag.optional,
  );

/** The values of flags that are given. */
export type Given<Flags extends Readonly<Record<string, Option.Option<unknown>>>> = {
  readonly [Name in keyof Flags]?: Option.Option.Value<Flags[Name]>;
};

/** Returns the values of the flags that are given: `{ a: Some(1), b: None }` → `{ a: 1 }`. */
export const given = <Flags extends Readonly<Record<string, Option.Option<unknown>>>>(
  flags: Flags,
) => Record.getSomes(flags) as Given<Flags>;

/** Loads a module when a command runs. */
export const load = <A>(importModule: () => Promise<A>): Effect.Effect<A> =>
  Effect.promise(importModule);
