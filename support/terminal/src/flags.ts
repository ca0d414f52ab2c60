/**
 * Flags and arguments of a command line.
 */
import { identity, type Option, Record } from "effect";
import { Argument, Flag } from "effect/cli";

/** A flag without a value. */
export const switchFlag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false));

/** An optional flag with a text. */
export const textFlag = (name: string, description: string, metavar?: string) =>
  Flag.String(name).pipe(
    Flag.withDescription(description),
    metavar === undefined ? identity : Flag.withMetavar(metavar),
    Flag.optional,
  );

/** A flag with a whole number. */
export const numberFlag = (name: string, description: string, otherwise: number) =>
  Flag.Int(name).pipe(Flag.withDescription(description), Flag.withDefault(otherwise));

/** An optional flag with one of some values. */
export const choiceFlag = <const Values extends ReadonlyArray<string>>(
  name: string,
  values: Values,
  description: string,
) => Flag.Literals(name, values).pipe(Flag.withDescription(description), Flag.optional);

/** A text that the command needs. */
export const argument = (name: string, description: string) =>
  Argument.String(name).pipe(Argument.withDescription(description));

/** A text that may be left out. */
export const optionalArgument = (name: string, description: string) =>
  Argument.optional(argument(name, description));

/** Returns the values that are present: `{ season: Some("x"), type: None }` → `{ season: "x" }`. */
export const omitUndefined = <
  const Options extends Record.ReadonlyRecord<string, Option.Option<unknown>>,
>(
  options: Options,
): Present<Options> => Record.getSomes(options) as Present<Options>;

/** The values that are present. */
export type Present<Options extends Record.ReadonlyRecord<string, Option.Option<unknown>>> = {
  readonly [Name in keyof Options]?: Option.Option.Value<Options[Name]>;
};
