/** Makes commands, arguments and flags with their help. */
import type { GameApiError, GameApiService } from "@game-data/api-client";
import type { RouteName } from "@game-data/contract/routes";
import { Effect, Predicate, Record } from "effect";
import { Argument, Command, Flag } from "effect/cli";

/** A command's description, then command lines that its `--help` lists as examples. */
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

/** Makes a command that only has subcommands. */
export const group = <
  const Name extends string,
  const Subcommands extends ReadonlyArray<Command.Command.Any>,
>(
  name: Name,
  about: string,
  subcommands: Subcommands,
) => Command.make(name).pipe(Command.withDescription(about), Command.withSubcommands(subcommands));

/** Makes a required argument with a text. */
export const argument = (name: string, description: string) =>
  Argument.String(name).pipe(Argument.withDescription(description));

const optional = <A>(flag: Flag.Flag<A>, description: string) =>
  flag.pipe(Flag.withDescription(description), Flag.withDefault(undefined));

/** Makes an optional flag with a text. */
export const text = (name: string, description: string) => optional(Flag.String(name), description);

/** Makes a flag without a value. Default: `false`. */
export const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false));

/** Makes an optional flag that takes one of `values`. */
export const choice = <const Values extends ReadonlyArray<string>>(
  name: string,
  values: Values,
  description: string,
) => optional(Flag.Literals(name, values), description);

/** Makes an optional flag with a whole number from `least` to `most`. */
export const count = (name: string, description: string, least = 1, most = Infinity) => {
  const inRange = Flag.filter(
    Flag.Int(name),
    (given) => given >= least && given <= most,
    (given) => `Expected ${least} or more${most < Infinity ? `, up to ${most}` : ""}, got ${given}`,
  );
  return optional(inRange, description);
};

/** Drops the flags that were not given: `{ a: 1, b: undefined }` → `{ a: 1 }`. */
export const given = <Flags extends Readonly<Record<string, unknown>>>(flags: Flags) =>
  Record.filter(flags, Predicate.isNotUndefined) as {
    readonly [Name in keyof Flags]?: Exclude<Flags[Name], undefined>;
  };

/** Imports a module only when a command runs, because other commands start faster without it. */
export const load = <A>(importModule: () => Promise<A>): Effect.Effect<A> =>
  Effect.promise(importModule);

/** Returns an API client with a token that has the scopes of the operations. */
export const loadGameApi = (...names: ReadonlyArray<RouteName>) =>
  Effect.flatMap(
    load(() => import("./connect.ts")),
    (connect) => connect.gameApi(...names),
  );

/** Calls an operation by its name in the contract, which is also its name in the client. */
export const callOperation = (api: GameApiService, name: RouteName, request: object) => {
  const [of, method] = name.split(".");
  const response: Effect.Effect<unknown, GameApiError> =
    api[of as "leagues"][method as "list"](request);
  return response;
};
