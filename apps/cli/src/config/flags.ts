/**
 * Flags that several commands share.
 */
import { Flag } from "effect/cli";

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

/** `--out`, a file. Default: standard output. */
export const outFlag = (description = "File to write (default: standard output)") =>
  Flag.String("out").pipe(
    Flag.withAlias("o"),
    Flag.withDescription(description),
    Flag.withDefault("-"),
  );
