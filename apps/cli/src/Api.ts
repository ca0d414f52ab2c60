/**
 * What commands ask for when they talk to the service. The packages behind it are loaded at the first use.
 */
import type { Scope } from "@game-data/contract";
import { Context, Effect } from "effect";
import { Flag } from "effect/cli";
import { failure } from "./Failure.ts";
import { settings } from "./Settings.ts";

/** The module that knows the packages. */
export const connection = Effect.promise(() => import("./Connection.ts"));

/** The client and its limiter, with a token for the scopes. */
export const context = Effect.fnUntraced(function* (...scopes: ReadonlyArray<Scope>) {
  const { connect } = yield* connection;
  return yield* connect(yield* settings, scopes);
});

/** The client, with a token for the scopes. */
export const gameApi = Effect.fnUntraced(function* (...scopes: ReadonlyArray<Scope>) {
  const { GameApi } = yield* Effect.promise(() => import("@game-data/api-client"));
  return Context.get(yield* context(...scopes), GameApi);
});

/** What is there, or the failure that says what is not. */
export const present = <A>(value: A | null, what: string, list: string) =>
  value === null
    ? Effect.fail(
        failure("not-found", `There is no ${what}.`, { next: `see what there is with: ${list}` }),
      )
    : Effect.succeed(value);

/** `--realm` among the realms that an endpoint has; `pc` when left out. */
export const realmFlag = <const Realms extends ReadonlyArray<string>>(realms: Realms) =>
  Flag.Literals("realm", realms).pipe(
    Flag.withDescription("The realm (default: pc)"),
    Flag.withDefault("pc" as Realms[number]),
  );

/** The realms of game 1. */
export const gameOneRealms = ["pc", "console_a", "console_b"] as const;

/** The realms of both games. */
export const allRealms = [...gameOneRealms, "game2"] as const;
