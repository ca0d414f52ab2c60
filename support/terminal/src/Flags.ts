/**
 * Flags that many commands have: realms, outputs, stores; and what people left out, left out.
 */
import { Option } from "effect";
import { Flag } from "effect/cli";

/** The realms of game 1. */
export const gameOneRealms = ["pc", "console_a", "console_b"] as const;

/** The realms of both games. */
export const allRealms = [...gameOneRealms, "game2"] as const;

/** `--realm` among the realms that an endpoint has; `pc` when left out. */
export const realmFlag = <const Realms extends ReadonlyArray<string>>(realms: Realms) =>
  Flag.Literals("realm", realms).pipe(
    Flag.withDescription("The realm (default: pc)"),
    Flag.withDefault("pc" as Realms[number]),
  );

/** A flag that is given or not: `false` when left out. */
export const switchFlag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false));

/** A text that may be left out. */
export const textFlag = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional);

/** `--out`: a file, or standard output when left out. */
export const outFlag = (description = "A file to write, or - for standard output") =>
  Flag.String("out").pipe(
    Flag.withAlias("o"),
    Flag.withDescription(description),
    Flag.withDefault("-"),
  );

/**
 * The values that are there, by their names: `{ season: Some("x"), type: None }` → `{ season: "x"
 * }`.
 */
export const given = <const Options extends Readonly<Record<string, Option.Option<unknown>>>>(
  options: Options,
): Given<Options> =>
  Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) =>
      Option.isSome(value) ? [[name, value.value]] : [],
    ),
  ) as Given<Options>;

/** What `given` returns. */
export type Given<Options extends Readonly<Record<string, Option.Option<unknown>>>> = {
  readonly [Name in keyof Options]?: Option.Option.Value<Options[Name]>;
};
