/**
 * Gives commands a client of the service. The packages behind it are loaded at the first use, so
 * that commands without a service start fast.
 */
import type { RouteName, Scope } from "@game-data/contract";
import { routes } from "@game-data/contract/routes";
import { Context, Effect } from "effect";
import { failure } from "@game-data/terminal/Failure";
import { settings } from "../config/Settings.ts";

/** Connects with the settings and a token for the scopes, and returns the client. */
export const gameApiWith = Effect.fnUntraced(function* (scopes: ReadonlyArray<Scope>) {
  const [{ connect }, { GameApi }] = yield* Effect.promise(() =>
    Promise.all([import("./connect.ts"), import("@game-data/api-client")]),
  );
  return Context.get(yield* connect(yield* settings, scopes), GameApi);
});

/** Connects with a token for the operations, and returns the client. */
export const gameApi = (...names: ReadonlyArray<RouteName>) =>
  gameApiWith([...new Set(names.flatMap((name): ReadonlyArray<Scope> => routes[name].scopes))]);

/** Fails with `not-found` for `null`. `list` is the command that lists what exists. */
export const orNotFound = <A>(value: A | null, what: string, list: string) =>
  value === null
    ? Effect.fail(failure("not-found", `No ${what} found.`, { next: `list them with: ${list}` }))
    : Effect.succeed(value);
