/**
 * Flags and arguments that several commands share.
 */
import { Option } from "effect";
import { Argument, Flag } from "effect/cli";

/** The realms of game 1. */
export const gameOneRealms = ["pc", "console_a", "console_b"] as const;

/** The realms of both games. */
export const allRealms = [...gameOneRealms, "game2"] as const;

/** `--realm`, one of the realms that an endpoint has. */
export const realmFlag = <const Realms extends ReadonlyArray<string>>(realms: Realms) =>
  Flag.Literals("realm", realms).pipe(
    Flag.withDescription("Realm (default: pc)"),
    Flag.withDefault("pc" as Realms[number]),
  );

/** A flag without a value. */
export const switchFlag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false));

/** An optional flag with a text. */
export const textFlag = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional);

/** A flag with a whole number. */
export const numberFlag = (name: string, description: string, otherwise: number) =>
  Flag.Int(name).pipe(Flag.withDescription(description), Flag.withDefault(otherwise));

/** A text that the command needs. */
export const argument = (name: string, description: string) =>
  Argument.String(name).pipe(Argument.withDescription(description));

/** A text that may be left out. */
export const optionalArgument = (name: string, description: string) =>
  Argument.optional(argument(name, description));

/** An optional flag with one of some values. */
export const choiceFlag = <const Values extends ReadonlyArray<string>>(
  name: string,
  values: Values,
  description: string,
) => Flag.Literals(name, values).pipe(Flag.withDescription(description), Flag.optional);

/** `--out`, a file. Default: standard output. */
export const outFlag = (description = "File to write (default: standard output)") =>
  Flag.String("out").pipe(
    Flag.withAlias("o"),
    Flag.withDescription(description),
    Flag.withDefault("-"),
  );

/** Returns the values that are present: `{ season: Some("x"), type: None }` → `{ season: "x" }`. */
export const omitUndefined = <
  const Options extends Readonly<Record<string, Option.Option<unknown>>>,
>(
  options: Options,
): Present<Options> =>
  Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) =>
      Option.isSome(value) ? [[name, value.value]] : [],
    ),
  ) as Present<Options>;

/** The values that are present. */
export type Present<Options extends Readonly<Record<string, Option.Option<unknown>>>> = {
  readonly [Name in keyof Options]?: Option.Option.Value<Options[Name]>;
};
