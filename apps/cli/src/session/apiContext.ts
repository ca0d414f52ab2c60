/**
 * What commands ask for when they talk to the service. The packages behind it are loaded at the
 * first use.
 */
import type { Scope } from "@game-data/contract";
import { Context, Effect } from "effect";
import { failure } from "@game-data/terminal/Failure";
import { settings } from "@game-data/terminal/Settings";

/** The module that knows the packages. */
const connection = Effect.promise(() => import("@game-data/terminal/Connection"));

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

/**
 * What is there, or the failure that says what is not; `list` is the command that lists what there
 * is.
 */
export const present = <A>(value: A | null, what: string, list: string) =>
  value === null
    ? Effect.fail(
        failure("not-found", `There is no ${what}.`, { next: `see what there is with: ${list}` }),
      )
    : Effect.succeed(value);
