/** Makes commands, arguments and flags with their help. */
import { Effect, Predicate, Record } from "effect";
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

const optional = <A>(flag: Flag.Flag<A>, description: string) =>
  flag.pipe(Flag.withDescription(description), Flag.withDefault(undefined));

/** An optional flag with a text. */
export const textFlag = (name: string, description: string) =>
  optional(Flag.String(name), description);

/** A flag without a value. */
export const switchFlag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false));

/** A flag with one of some values. It is optional without a default. */
export const choiceFlag = <
  const Values extends ReadonlyArray<string>,
  Default extends Values[number] | undefined = undefined,
>(
  name: string,
  values: Values,
  description: string,
  preset?: Default,
) =>
  Flag.Literals(name, values).pipe(
    Flag.withDescription(description),
    Flag.withDefault(preset as Default),
  );

/** An optional flag with a whole number. */
export const countFlag = (name: string, description: string, least = 1, most = Infinity) => {
  const inRange = Flag.filter(
    Flag.Int(name),
    (count) => count >= least && count <= most,
    (count) => `Expected ${least} or more${most < Infinity ? `, up to ${most}` : ""}, got ${count}`,
  );
  return optional(inRange, description);
};

/** Returns the values of the flags that are given: `{ a: 1, b: undefined }` → `{ a: 1 }`. */
export const given = <Flags extends Readonly<Record<string, unknown>>>(flags: Flags) =>
  Record.filter(flags, Predicate.isNotUndefined) as {
    readonly [Name in keyof Flags]?: Exclude<Flags[Name], undefined>;
  };

/** Loads a module when a command runs. */
export const load = <A>(importModule: () => Promise<A>): Effect.Effect<A> =>
  Effect.promise(importModule);
